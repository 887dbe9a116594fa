"""What the sub-commands of programs do that look after containers, clouds, services, keys, as tables; it judges nothing and runs nothing.

A module of its own, because these act on what is shared with others, and not on a folder."""

from __future__ import annotations

from collections.abc import Mapping

from .table import EXTERNAL, READ, UNKNOWN, WRITE, Row, Table

_UNITS = (
    "-l --full --no-pager -n: --lines: -a --all -t: --type: --state: -p: -P: --property: --value -q --quiet --user --system --failed "
    "--plain --no-legend -o: --output: --reverse --after --before"
)
SUBCOMMANDS: Mapping[str, Table] = {
    "docker": (
        (
            "container|list container|ls container|ps ps",
            Row(READ, "-a -q -s -l -n: -f: --all --quiet --size --latest --last: --filter: --format: --no-trunc"),
        ),
        ("images image|list image|ls", Row(READ, "-a -q -f: --all --quiet --digests --filter: --format: --no-trunc --tree")),
        ("container|logs logs", Row(READ, "-f -t -n: --details --follow --since: --until: --tail: --timestamps")),
        (
            "container|inspect context|inspect image|inspect inspect network|inspect volume|inspect",
            Row(READ, "-f: -s -v --format: --size --type: --verbose"),
        ),
        ("container|diff container|port container|top diff port top", Row(READ)),
        ("container|stats stats", Row(READ, "-a --all --format: --no-stream --no-trunc")),
        ("history image|history", Row(READ, "-q -H --quiet --human --format: --no-trunc")),
        ("info system|info version", Row(READ, "-f: --format:")),
        ("system|df", Row(READ, "-v --verbose --format:")),
        (
            "context|list context|ls context|show network|list network|ls volume|list volume|ls",
            Row(READ, "-q -f: --quiet --filter: --format: --no-trunc"),
        ),
        ("compose|ls compose|version", Row(READ, "-a -q -f: --all --quiet --filter: --format: --short")),
        ("compose|ps", Row(READ, "-a -q --all --quiet --services --status: --filter: --format: --orphans --no-trunc")),
        ("compose|images compose|port compose|top", Row(READ, "-q --quiet --format: --protocol: --index:")),
        ("compose|logs", Row(READ, "-f -t -n: --follow --timestamps --tail: --since: --until: --no-color --no-log-prefix --index:")),
        (
            (
                "builder|prune container|kill container|prune container|rm context|rm image|prune image|rm kill network|prune "
                "network|rm rm rmi system|prune volume|prune volume|rm"
            ),
            Row(EXTERNAL, destructive=True),
        ),
        ("compose|down compose|kill compose|rm", Row(EXTERNAL, destructive=True)),
        ("cp export save", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL, destroys="-o --output")),
    ),
    "kubectl": (
        ("config|view", Row(READ, "-o: --output: --minify --raw --flatten --context: --kubeconfig:")),
        ("config|current-context config|get-clusters config|get-contexts config|get-users", Row(READ, "-o: --output: --no-headers")),
        (
            (
                "config|rename-context config|set config|set-cluster config|set-context config|set-credentials config|unset "
                "config|use-context"
            ),
            Row(UNKNOWN),
        ),
        ("config|delete-cluster config|delete-context config|delete-user", Row(UNKNOWN, destructive=True)),
        ("completion", Row(READ)),
        ("delete drain replace", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL, destroys="--force --prune --overwrite")),
    ),
    "helm": (
        ("completion env plugin|list repo|list repo|ls", Row(READ, "-o: --output:")),
        ("version", Row(READ, "--short --template:")),
        ("create", Row(WRITE, destructive=True)),
        ("package", Row(WRITE, asks="-u --dependency-update --sign", destructive=True)),
        ("delete rollback uninstall", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL, destroys="--force --reset-values --cleanup-on-fail")),
    ),
    "terraform": (
        ("fmt", Row(WRITE, "-recursive -diff -list -no-color", reads="-check", long=True)),
        ("console test validate", Row(UNKNOWN)),
        (
            "apply destroy force-unlock state|mv state|push state|replace-provider state|rm taint workspace|delete",
            Row(EXTERNAL, destructive=True),
        ),
        ("*", Row(EXTERNAL, destroys="-destroy -force -auto-approve -migrate-state -reconfigure -out")),
    ),
    "aws": (
        ("configure|get configure|list-profiles", Row(READ, "--profile:")),
        ("configure|import configure|set configure|sso", Row(WRITE)),
        ("*", Row(EXTERNAL)),
    ),
    "systemctl": (
        (
            (
                "cat get-default is-active is-enabled is-failed is-system-running list-dependencies list-jobs list-sockets "
                "list-timers list-unit-files list-units show show-environment status"
            ),
            Row(READ, _UNITS, asks="-H --host -M --machine"),
        ),
        (
            "daemon-reload disable enable mask reload reload-or-restart restart start stop try-restart unmask",
            Row(WRITE, asks="-H --host -M --machine --root --image"),
        ),
        ("reset-failed", Row(WRITE, asks="-H --host -M --machine")),
        (
            "clean emergency halt hibernate isolate kexec kill poweroff reboot rescue revert suspend",
            Row(WRITE, asks="-H --host -M --machine", destructive=True),
        ),
    ),
    "loginctl": (
        (
            "list-seats list-sessions list-users seat-status session-status show-seat show-session show-user user-status",
            Row(READ, "-a -l -p: -n: -o: --all --full --property: --value --no-pager --no-legend --lines: --output:"),
        ),
        (
            "kill-session kill-user terminate-seat terminate-session terminate-user",
            Row(WRITE, asks="-H --host -M --machine", destructive=True),
        ),
        ("activate disable-linger enable-linger lock-session lock-sessions unlock-session", Row(WRITE, asks="-H --host -M --machine")),
    ),
    "timedatectl": (
        ("list-timezones show status timesync-status", Row(READ, "-a -p: --all --property: --value --no-pager")),
        ("set-local-rtc set-ntp set-time set-timezone", Row(WRITE, asks="-H --host -M --machine")),
    ),
    "hostnamectl": (
        ("status", Row(READ, "--static --transient --pretty --json:")),
        ("chassis deployment hostname icon-name location set-hostname", Row(WRITE, asks="-H --host -M --machine")),
    ),
    "localectl": (
        ("list-keymaps list-locales list-x11-keymap-layouts status", Row(READ, "--no-pager")),
        ("set-keymap set-locale set-x11-keymap", Row(WRITE, asks="-H --host -M --machine")),
    ),
    "systemd-analyze": (
        (
            "blame calendar critical-chain dump time timespan timestamp unit-paths",
            Row(READ, "-q --quiet --user --system --no-pager --fuzz: --json: --iterations: --base-time:"),
        ),
    ),
    "launchctl": (
        ("blame dumpstate error hostinfo list print print-disabled version", Row(READ)),
        ("bootout disable enable kickstart remove start stop", Row(WRITE, destructive=True)),
    ),
    "nmcli": (
        ("connection|show device|show device|status general|status", Row(READ)),
        ("*", Row(UNKNOWN)),
    ),
    "ip": (
        ("a addr address", Row(UNKNOWN, bare=READ)),
        ("address|list address|ls address|show addr|list addr|ls addr|s addr|show a|list a|ls a|s a|show", Row(READ)),
        ("l link", Row(UNKNOWN, bare=READ)),
        ("link|list link|ls link|show l|show", Row(READ)),
        ("r route", Row(UNKNOWN, bare=READ)),
        ("route|get route|list route|ls route|show r|list r|show", Row(READ)),
        ("maddress n neigh neighbor neighbour rule tunnel", Row(UNKNOWN, bare=READ)),
        ("maddress|show neigh|list neigh|ls neigh|show netns|list netns|ls n|show rule|list rule|ls rule|show tunnel|show", Row(READ)),
        (
            (
                "address|add addr|add addr|replace link|add link|set neigh|add neigh|replace netns|add route|add route|append "
                "route|change route|replace rule|add"
            ),
            Row(WRITE),
        ),
        (
            (
                "address|del addr|del addr|delete addr|flush link|del link|delete neigh|del neigh|flush netns|del netns|delete "
                "route|del route|delete route|flush rule|del"
            ),
            Row(WRITE, destructive=True),
        ),
    ),
    "getent": (
        ("aliases group gshadow initgroups passwd protocols rpc services shadow", Row(READ)),
        ("ahosts ahostsv4 ahostsv6 hosts netgroup networks", Row(EXTERNAL)),
    ),
    "ufw": (
        ("status", Row(READ)),
        ("app|info app|list version", Row(READ)),
        ("allow deny enable limit reject route", Row(WRITE)),
        ("delete disable reload reset", Row(WRITE, destructive=True)),
    ),
    "wg": (
        ("show showconf", Row(READ)),
        ("genkey genpsk pubkey", Row(READ)),
        ("addconf set setconf syncconf", Row(WRITE, destructive=True)),
    ),
    "tmux": (
        (
            (
                "has has-session list-buffers list-clients list-commands list-keys list-panes list-sessions list-windows ls lsb lsc "
                "lscm lsk lsp lsw show show-buffer show-environment show-hooks show-options showenv"
            ),
            Row(READ, "-t: -a -s -g -w -v -q -b: -A", asks="-F -f"),
        ),
        ("capture-pane capturep", Row(WRITE, "-J -N -C -e -a -q -t: -S: -E: -b:", reads="-p --print")),
        (
            "clear-history delete-buffer detach detach-client kill-pane kill-server kill-session kill-window killp killw",
            Row(WRITE, destructive=True),
        ),
        (
            (
                "last-window next-window previous-window rename rename-session rename-window renamew resize-pane resize-window "
                "select-layout select-pane select-window swap-pane"
            ),
            Row(WRITE, asks="-f"),
        ),
        ("*", Row(UNKNOWN)),
    ),
    "screen": (("*", Row(UNKNOWN, "-q", reads="-ls -list")),),
    "openssl": (
        ("version", Row(READ, "-a -v -d", long=True)),
        ("ciphers", Row(READ, "-v -V -s -tls1 -tls1_2 -tls1_3 -stdname", long=True)),
        (
            "asn1parse crl ec pkcs12 pkcs7 pkey req rsa x509",
            Row(
                READ,
                (
                    "-in: -inform: -noout -text -subject -issuer -dates -enddate -startdate -checkend: -fingerprint -sha1 -sha256 -serial "
                    "-pubkey -modulus -hash -email -ocsp_uri -purpose -ext: -nameopt: -certopt: -check "
                    "-pubin -info -nokeys -nodes -clcerts "
                    "-cacerts -verify -i -strparse:"
                ),
                destroys="-out -keyout -writerand -CAserial",
                long=True,
            ),
        ),
        (
            "dgst md5 sha1 sha256 sha512",
            Row(
                READ,
                "-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -r -hex -binary -c -hmac: -verify: -signature:",
                destroys="-out -writerand",
                long=True,
            ),
        ),
        ("rand", Row(READ, "-hex -base64", destroys="-out -writerand", long=True)),
        ("verify", Row(READ, "-CAfile: -CApath: -untrusted: -purpose: -verbose -show_chain -partial_chain", long=True)),
        ("help list", Row(READ, long=True)),
        ("base64", Row(READ, "-d -e -A -a -in:", destroys="-out", long=True)),
        ("ca cms dhparam ecparam enc gendsa genpkey genrsa passwd pkcs8 prime smime ts", Row(WRITE, destructive=True)),
        ("ocsp s_client s_server s_time", Row(EXTERNAL)),
    ),
    "gpgconf": (
        ("--list-components --list-dirs --version", Row(READ)),
        ("--apply-defaults --create-socketdir --kill --launch --reload", Row(WRITE)),
    ),
    "7z": (
        ("i l t", Row(READ, "-slt -ba -r -bb1")),
        ("a u", Row(WRITE, destructive=True)),
        ("d e rn x", Row(WRITE, destructive=True)),
    ),
    "ssh-keygen": (
        ("-B -F -l -lf", Row(READ, "-f: -E: -v -l -F: -B")),
        ("-R", Row(WRITE, "-f:", destructive=True)),
        ("*", Row(UNKNOWN)),
    ),
    "docker-compose": (
        ("ls version", Row(READ, "-a -q --all --quiet --format: --short")),
        ("ps", Row(READ, "-a -q --all --quiet --services --status: --filter: --format:")),
        ("logs", Row(READ, "-f -t -n: --follow --timestamps --tail: --since: --until: --no-color --no-log-prefix")),
        ("down kill rm", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL)),
    ),
    "defaults": (
        ("domains find read read-type", Row(READ)),
        ("delete", Row(WRITE, destructive=True)),
        ("import rename write", Row(UNKNOWN)),
    ),
    "diskutil": (
        ("activity info list", Row(READ, "-plist -all")),
        ("eraseDisk eraseVolume partitionDisk reformat unmount unmountDisk", Row(WRITE, destructive=True)),
    ),
    "pmset": (("-g", Row(READ)),),
    "scutil": (
        ("--dns --get --nwi --proxy", Row(READ)),
        ("--set", Row(WRITE)),
    ),
    "nft": (
        ("list", Row(READ)),
        ("add create insert", Row(WRITE)),
        ("delete destroy flush replace reset", Row(WRITE, destructive=True)),
    ),
    "virsh": (
        (
            "domblklist domiflist dominfo domstate dumpxml list net-list nodeinfo pool-list version vol-list",
            Row(READ, "--all --inactive --name --uuid --title"),
        ),
        ("destroy net-destroy pool-destroy snapshot-delete undefine vol-delete", Row(WRITE, destructive=True)),
        ("*", Row(UNKNOWN)),
    ),
}
