"""What each program does by its sub-commands and options, as data; it judges nothing and runs nothing.

A module of its own, because the table is for people to read and to mend: effects.py, which judges commands by it, names no program that
is not looked at closer. A row says what a program with only listed options does; what is not listed is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .model import Class

READ, WRITE, EXTERNAL, UNKNOWN = Class.READ, Class.WRITE, Class.EXTERNAL, Class.UNKNOWN


def each(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Row(NamedTuple):
    """How a program or a sub-command is judged: its class, and the options that make it another one.

    A read, and what only shows, must have no option but those of `plain` and `reads`; there `:` stands after an option that takes a
    value, `?` after one that takes a value only in the same word. `*` before the others means that its manual has no option that writes,
    runs or reaches anything, so that a word that is not fixed may turn out to be one; alone, that its words are no options."""

    kind: Class
    plain: str = ""
    """Harmless options."""
    asks: str = ""
    """Options that run other programs or reach other systems."""
    destroys: str = ""
    writes: str = ""
    reads: str = ""
    """Options with which it only shows or checks."""
    most: int | None = None
    """Operands that it reads; it writes to the next."""
    bare: Class | None = None
    """Its class without operands."""
    destructive: bool = False
    """Whether it overwrites or deletes; of one that reads, what it does to the operand it writes to."""
    spares: str = ""
    """Options with which it destroys nothing, as long as every other option is plain: any other could take them back or for its value."""
    urls: bool = False
    """Whether it takes addresses and programs for files: `http://…`, `|command`."""
    long: bool = False
    """Whether its options are whole words behind one hyphen: letters are never joined."""
    sets: bool = False
    """Whether a word with `=` in it sets something."""


Table = tuple[tuple[str, Row], ...]

REACHING = (
    "ab aliyun amplify amqp-publish ansible ansible-galaxy ansible-playbook ansible-vault apt-get aptitude argocd arping autossh az b2 "
    "bazelisk bcp borg bq buildah bunx bw cdk certbot cf chef choco clickhouse-client cloudflared consul cosign cqlsh crane dig dnf "
    "dnf5 doctl eksctl elinks emerge etcdctl exo fetchmail finger firebase flux fly flyctl ftp gcloud gdown getmail grpcurl grype "
    "gsutil guix hcloud heroku hey hf himalaya host httpstat hub huggingface-cli ibmcloud influx iperf iperf3 istioctl jira k3d k6 k9s "
    "kaggle kaniko kcat kind knife kustomize lftp links linode-cli locust lynx mail mailx mc microdnf minikube mongo mongosh mosh "
    "mosquitto_pub mosquitto_sub msmtp mtr mutt mysqladmin nats nc ncat neomutt netcat netlify ngrok nix nix-env nomad npx nslookup oci "
    "ollama op openvpn oras packer pg_restore ping ping6 pkg port pulumi puppet railway rclone rcp redis-cli restic rlogin rsh s3cmd "
    "salt sam scoop scw sendmail sentry-cli serverless siege signal-cli skaffold skopeo slack sls snowsql socat speedtest sqlcmd "
    "ssh-copy-id ssh-keyscan sshfs stripe supabase swaks syft tailscale talk tcpdump tea tealdeer telnet tldr tracepath traceroute "
    "trivy tshark twine uvx vault vercel vncviewer w3m wall wandb websocat wg-quick whois winget wrangler write wrk wscat xbps-install "
    "xfreerdp youtube-dl yt-dlp zypper"
)
_CURL = (
    "-o --output -O --remote-name --remote-name-all -J -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl "
    "--etag-save --hsts --alt-svc -K --config"
)
_WGET = (
    "-O --output-document -o --output-file -N --timestamping -r --recursive -m --mirror -p --page-requisites --save-cookies --hsts-file "
    "--rejected-log --warc-file --unlink --delete-after -e --execute --config -i --input-file"
)
SAVERS: Table = (
    ("curl", Row(EXTERNAL, "-X: -H: -d: -u: -A: -e: -b: -F: -T: -w: -m: -r: -x: -E: -U: -Y: -y: -z: -C: -P: -Q: -t:", destroys=_CURL)),
    ("wget wget2", Row(EXTERNAL, destroys=_WGET)),
    ("aria2c", Row(EXTERNAL, destroys="--allow-overwrite --conf-path -l --log --save-session --save-cookies -i --input-file")),
    ("scp sftp", Row(EXTERNAL, destructive=True)),
    ("http https xh", Row(EXTERNAL, destroys="-o --output -d --download --session")),
    ("nmap", Row(EXTERNAL, destroys="-o --script")),
    ("mysql psql", Row(EXTERNAL, destroys="-o --output -L --log-file --tee")),
    ("mongodump mysqldump pg_dump", Row(EXTERNAL, destroys="-f --file -r --result-file -o --out -T --tab --archive --log-error")),
)
"""Programs that reach other systems and may save over a file here."""
_DIFF = (
    "-u -U: -r -q -N -w -b -B -i -y -a -c -C: -s -W: -t -E -Z -d -x: -X: -I: -p -F: -L: --unified --context --brief --recursive --new-file "
    "--color --side-by-side --suppress-common-lines --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --text "
    "--exclude: --exclude-from: --label: --strip-trailing-cr --width: --report-identical-files --minimal --no-dereference --normal"
)
_SORT = (
    "-n -r -u -k: -t: -h -V -f -b -d -g -i -M -R -s -z -c -C -m -S: --key: --field-separator: --reverse --unique --numeric-sort "
    "--merge --human-numeric-sort --version-sort --ignore-case --stable --zero-terminated --check --parallel: --buffer-size: "
    "--general-numeric-sort --month-sort --random-sort --ignore-leading-blanks --dictionary-order --debug"
)
_RG = (
    "-n -i -w -v -c -l -o -e: -A: -B: -C: -t: -T: -g: -F -S -s -u -uu -uuu -U -H -I -N -q -x -P -L -a -m: -M: -r: -d: -j: -p -0 -. --files "
    "--hidden --no-ignore --no-ignore-vcs --type: --type-not: --glob: --iglob: --line-number --no-line-number --ignore-case --smart-case "
    "--case-sensitive --word-regexp --fixed-strings --count --count-matches --files-with-matches --files-without-match --only-matching "
    "--context: --after-context: --before-context: --max-count: --max-depth: --max-columns: --multiline --multiline-dotall --pcre2 --json "
    "--heading --no-heading --color: --colors: --column --sort: --sortr: --stats --trim --vimgrep --replace: --regexp: --follow --text "
    "--invert-match --quiet --no-filename --with-filename --null --type-list --passthru --max-filesize: --threads: --no-config "
    "--no-messages --line-regexp --unrestricted"
)
_FD = (
    "-e: -t: -H -I -d: -E: -g -a -p -L -s -i -F -0 -1 -u -S: -c: --extension: --type: --hidden --no-ignore --no-ignore-vcs --max-depth: "
    "--min-depth: --exclude: --glob --absolute-path --full-path --follow --print0 --max-results: --size: --color: --changed-within: "
    "--changed-before: --fixed-strings --unrestricted --case-sensitive --ignore-case"
)
_JOURNAL = (
    "-u: -n: -f -e -x -b -k -p: -o: -r -a -q -g: -t: -S: -U: -N --since: --until: --unit: --no-pager --lines: --boot --dmesg --output: "
    "--reverse --all --priority: --grep: --identifier: --list-boots --disk-usage --utc --no-hostname --no-tail --follow --catalog "
    "--pager-end --user --system --user-unit: --quiet --no-full --full -l"
)
_ZIP_ASKS = "-T -TT --test --unzip-command"
_ZIP_DESTROYS = "-m --move -d --delete -FS --filesync -O --out --output-file -lf --logfile-path"
_COPY = (
    "-n --no-clobber -r -R -a -p -v -d -P -L -H -x -T -t: --recursive --archive --verbose --dereference --no-dereference --preserve "
    "--parents --one-file-system --no-target-directory --target-directory: --strip-trailing-slashes --sparse --reflink"
)
_INSTALL = "-d --directory -v --verbose -m: --mode: -o: --owner: -g: --group:"
_PATCH = (
    "-p: -i: -R -N -s -u -E -l -t -f -F: -d: --strip: --input: --reverse --forward --verbose --quiet --silent --force --batch --fuzz: "
    "--directory: --ignore-whitespace --unified"
)
_JQ = (
    "-a -c -C -e -f: -j -M -n -r -R -s -S -L: --arg: --argjson: --args --ascii-output --color-output --compact-output --exit-status "
    "--from-file: --indent: --join-output --jsonargs --monochrome-output --null-input --raw-input --raw-output --raw-output0 --rawfile: "
    "--slurp --slurpfile: --sort-keys --stream --stream-errors --seq --tab"
)
_LS = (
    "* -a --all -A --almost-all --author -b --escape --block-size: -B --ignore-backups -c -C --color -d --directory -D --dired -f -F "
    "--classify --file-type --format: --full-time -g --group-directories-first -G --no-group -h --human-readable --si -H "
    "--dereference-command-line --dereference-command-line-symlink-to-dir --hide: --hyperlink --indicator-style: -i --inode -I: "
    "--ignore: -k --kibibytes -l -L --dereference -m -n --numeric-uid-gid -N --literal -o -p -q --hide-control-chars "
    "--show-control-chars -Q --quote-name --quoting-style: -r --reverse -R --recursive -s --size -S --sort: --time: --time-style: -t "
    "-T: --tabsize: -u -U -v -w: --width: -x -X -Z --context --zero -1"
)
_GREP = (
    "* -E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -e: --regexp: -f: --file: -i --ignore-case "
    "--no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c --count --color --colour -L --files-without-match -l "
    "--files-with-matches -m: --max-count: -o --only-matching -q --quiet --silent --no-messages -s -b --byte-offset -H --with-filename "
    "-h --no-filename --label: -n --line-number -T --initial-tab -Z --null -A: --after-context: -B: --before-context: -C: --context: "
    "--group-separator: --no-group-separator -a --text --binary-files: -D: --devices: -d: --directories: --exclude: --exclude-from: "
    "--exclude-dir: -I --include: -r --recursive -R --dereference-recursive --line-buffered -U --binary -z --null-data -y -S -p -O"
)
_GPG = (
    "-a -c -e -d -s -b -u: -q -v -k -K --armor --symmetric --encrypt --decrypt --sign --detach-sign --clear-sign "
    "--local-user: --batch --quiet --verify --list-keys --list-secret-keys --fingerprint --import --export"
)
_GPG_ASKS = (
    "-r --recipient -R --hidden-recipient --recv-keys --receive-keys --send-keys --search-keys --refresh-keys --fetch-keys "
    "--keyserver --auto-key-retrieve --auto-key-locate "
    "--locate-keys --locate-external-keys --edit-key --edit-card --card-edit --change-pin --photo-viewer --agent-program "
    "--dirmngr-program --exec-path --options --homedir --show-photos --list-options --verify-options"
)
_GPG_DESTROYS = "-o --output --yes --delete-keys --delete-secret-keys --delete-secret-and-public-key --import-ownertrust"
PROGRAMS: Table = (
    # ── The shell's own ──
    (": break clear continue echo exit expr false pwd return shift sleep true yes", Row(READ, "*")),
    ("cd dirs popd pushd", Row(READ, "* -L -P -e -n")),
    ("atq hash jobs times", Row(READ, "-l -r -s -t")),
    ("wait", Row(READ, "-n -f")),
    ("help", Row(READ, "* -d -m -s")),
    ("type", Row(READ, "* -a -f -p -P -t")),
    ("which", Row(READ, "* -a -s")),
    ("history", Row(READ, destroys="-c -d -w -a -r -n -s -p")),
    ("umask", Row(READ, "-S -p", most=0)),
    ("alias", Row(UNKNOWN, "-p", bare=READ)),
    # ── Files and folders ──
    ("dir ls vdir", Row(READ, _LS)),
    ("basename", Row(READ, "* -a -s: -z --multiple --suffix: --zero")),
    ("dirname", Row(READ, "* -z --zero")),
    (
        "realpath",
        Row(
            READ,
            (
                "* -e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to: "
                "--relative-base: --strip --no-symlinks --zero"
            ),
        ),
    ),
    (
        "readlink",
        Row(
            READ,
            (
                "* -f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent "
                "--verbose --zero"
            ),
        ),
    ),
    ("stat", Row(READ, "* -L -f? -c: -t -x -l -n -q -r -s -F --dereference --file-system --cached: --format: --printf: --terse")),
    (
        "du",
        Row(
            READ,
            (
                "* -0 -a -B: -b -c -D -d: -H -h -k -L -l -m -P -S -s -t: -X: -x -g -I: --null --all --apparent-size --block-size: "
                "--bytes --total --dereference-args --max-depth: --files0-from: --human-readable --inodes --dereference --count-links "
                "--no-dereference --separate-dirs --si --summarize --threshold: --time --time-style: --exclude-from: --exclude: "
                "--one-file-system"
            ),
        ),
    ),
    (
        "df",
        Row(
            READ,
            (
                "* -a -B: -h -H -i -k -l -P -t: -T -x: -g -m -v --all --block-size: --human-readable --si --inodes --local --no-sync "
                "--output --portability --total --type: --print-type --exclude-type:"
            ),
        ),
    ),
    (
        "file",
        Row(
            READ,
            (
                "-b -i -I -L -h -k -N -r -0 -s -F: -f: --brief --mime --mime-type --mime-encoding --dereference --no-dereference "
                "--separator: --extension --keep-going --files-from:"
            ),
            asks="-z -Z --uncompress",
            destroys="-C --compile",
        ),
    ),
    (
        "tree",
        Row(
            READ,
            (
                "-a -d -f -i -L: -I: -P: -h -s -D -p -u -g -C -n -F -x -l -J -X -q -N -t -r -v -c -U --noreport --dirsfirst --du --si "
                "--prune --gitignore --filelimit: --charset: --matchdirs --ignore-case --sort: --inodes --device --timefmt: --fromfile"
            ),
            destroys="-o -R",
        ),
    ),
    (
        "exa eza lsd",
        Row(
            READ,
            (
                "-1 -a -A -d -D -f -F -g -G -h -H -i -I: -l -L: -m -n -r -R -s: -S -t: -T -u -U -x -X --all --almost-all --long --tree "
                "--level: --git --git-ignore --icons --no-icons --color: --color-scale --header --sort: --reverse --only-dirs "
                "--group-directories-first --time: --time-style: --no-permissions --no-user --no-time --no-filesize --oneline --grid "
                "--recurse --depth: --blocks:"
            ),
        ),
    ),
    (
        "locate mlocate plocate",
        Row(
            READ, ("* -b -c -i -l: -n: -r: -q -e -0 --basename --count --ignore-case --limit: --regex --regexp: --existing --quiet --null")
        ),
    ),
    ("namei", Row(READ, "* -l -m -n -o -v -x --long --modes --nosymlinks --owners --vertical --mountpoints")),
    (
        "getfacl",
        Row(
            READ,
            "* -a -d -c -e -E -s -R -L -P -t -p -n --access --default --omit-header --recursive --numeric --absolute-names --tabular",
        ),
    ),
    ("lsattr", Row(READ, "* -R -V -a -d -l -p -v")),
    (
        "findmnt",
        Row(
            READ,
            (
                "* -A -a -b -c -D -f -i -J -k -l -m -n -o: -O: -P -R -r -s -S: -T: -t: -u -U -v -M: --all --ascii --bytes "
                "--canonicalize --df --first-only --invert --json --kernel --list --noheadings --output: --output-all --options: "
                "--pairs --submounts --raw --fstab --source: --target: --types: --notruncate --uniq --tree --real --mountpoint:"
            ),
        ),
    ),
    ("xattr", Row(READ, "-l -p: -r -s -v -x", destroys="-c -d -w")),
    # ── Text ──
    (
        "cat",
        Row(
            READ,
            (
                "* -A -b -e -E -n -s -t -T -u -v -l --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs "
                "--show-nonprinting"
            ),
        ),
    ),
    (
        "bat batcat",
        Row(
            READ,
            (
                "-A -n -p -pp -P -r: -l: -H: -m: --show-all --number --plain --line-range: --language: --highlight-line: --style: "
                "--paging: --color: --decorations: --theme: --wrap: --tabs: --terminal-width: --file-name: --list-languages "
                "--list-themes"
            ),
        ),
    ),
    ("head", Row(READ, "* -c: -n: -q -v -z --bytes: --lines: --quiet --silent --verbose --zero-terminated")),
    (
        "tail",
        Row(
            READ,
            (
                "* -c: -f -F -n: -q -s: -v -z -r --bytes: --follow --lines: --max-unchanged-stats: --pid: --quiet --silent --retry "
                "--sleep-interval: --verbose --zero-terminated"
            ),
        ),
    ),
    ("wc", Row(READ, "* -c -m -l -L -w --bytes --chars --lines --files0-from: --max-line-length --words --total:")),
    ("bzgrep egrep fgrep grep xzgrep zegrep zfgrep zgrep", Row(READ, _GREP)),
    ("rg", Row(READ, _RG, asks="--pre --pre-glob --hostname-bin -z --search-zip")),
    (
        "ag",
        Row(
            READ,
            (
                "-a -A: -B: -c -C? -D -f -F -g: -G: -H -i -l -L -m: -n -o -p: -Q -r -R -s -S -t -u -U -v -w -x -0 --ackmate --after: "
                "--before: --break --nobreak --color --nocolor --column --context --count --depth: --filename --nofilename "
                "--files-with-matches --files-without-matches --fixed-strings --follow --group --nogroup --heading --noheading --hidden "
                "--ignore: --ignore-case --ignore-dir: --literal --max-count: --numbers --nonumbers --only-matching --path-to-ignore: "
                "--print-long-lines --silent --smart-case --case-sensitive --stats --unrestricted --vimgrep --word-regexp --python --js "
                "--ts --go --rust --java --ruby --html --css --json --yaml --markdown"
            ),
            asks="--pager -z --search-zip",
        ),
    ),
    ("fd fdfind", Row(READ, _FD, asks="-x --exec -X --exec-batch -l --list-details")),
    (
        "cut",
        Row(
            READ,
            (
                "* -b: -c: -d: -f: -n -s -w -z --bytes: --characters: --delimiter: --fields: --complement --only-delimited "
                "--output-delimiter: --zero-terminated"
            ),
        ),
    ),
    ("tr", Row(READ, "* -c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1")),
    (
        "nl",
        Row(
            READ,
            (
                "* -b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering: --section-delimiter: --footer-numbering: "
                "--header-numbering: --line-increment: --join-blank-lines: --number-format: --no-renumber --number-separator: "
                "--starting-line-number: --number-width:"
            ),
        ),
    ),
    ("tac", Row(READ, "* -b -r -s: --before --regex --separator:")),
    ("rev", Row(READ, "* -0 --zero")),
    ("fold", Row(READ, "* -b -s -w: --bytes --spaces --width:")),
    (
        "fmt",
        Row(
            READ, ("* -c -p: -s -t -u -w: -g: --crown-margin --prefix: --split-only --tagged-paragraph --uniform-spacing --width: --goal:")
        ),
    ),
    ("paste", Row(READ, "* -d: -s -z --delimiters: --serial --zero-terminated")),
    ("join", Row(READ, "* -a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order --header --zero-terminated")),
    ("comm", Row(READ, "* -1 -2 -3 -i -z --check-order --nocheck-order --output-delimiter: --total --zero-terminated")),
    (
        "column",
        Row(
            READ,
            (
                "* -t -s: -o: -c: -x -J -N: -R: -T: -H: -O: -E: -W: -n: -d -e -L -l: -r: -i: -p: --table --separator: "
                "--output-separator: --output-width: --fillrows --json --table-columns: --table-right: --table-truncate: --table-hide: "
                "--table-order: --table-name: --table-wrap: --table-noheadings --table-columns-limit: --keep-empty-lines --tree: "
                "--tree-id: --tree-parent:"
            ),
        ),
    ),
    ("col colrm ul", Row(READ, "* -b -f -h -p -x -l: -i -t:")),
    ("expand unexpand", Row(READ, "* -a -i -t: --all --first-only --initial --tabs:")),
    ("look", Row(READ, "* -a -d -f -t: --alternative --alphanum --ignore-case --terminate:")),
    ("arch factor groups hostid logname nproc tsort users", Row(READ, "* --all --ignore: -s -h --exponents")),
    ("seq", Row(READ, "* -f: -s: -w -t: --format: --separator: --equal-width")),
    (
        "numfmt",
        Row(
            READ,
            (
                "* -d: -z --debug --delimiter: --field: --format: --from: --from-unit: --grouping --header --invalid: --padding: "
                "--round: --suffix: --to: --to-unit: --zero-terminated"
            ),
        ),
    ),
    ("bc", Row(READ, "-h -i -l -w -s -q -v --interactive --mathlib --warn --standard --quiet")),
    ("diff", Row(READ, _DIFF, asks="-l --paginate")),
    ("colordiff", Row(READ, _DIFF, asks="-l --paginate")),
    ("cmp", Row(READ, "* -b -i: -l -n: -s -v --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent")),
    (
        "sdiff",
        Row(
            READ,
            (
                "-i -E -b -W -B -I: -a -l -s -w: -d -H -t --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines "
                "--text --left-column --suppress-common-lines --width: --minimal --speed-large-files"
            ),
            asks="--diff-program",
            destroys="-o --output",
        ),
    ),
    ("diff3", Row(READ, "-A -e -E -3 -x -X -m -a -T -L: --show-all --merge --text --initial-tab --label:", asks="--diff-program")),
    ("zcmp zdiff", Row(READ, "-u -q -b -w -i")),
    ("diffstat", Row(READ, "-b -c -C -f: -k -K -l -m -n: -N: -p: -q -r: -R -s -S: -t -T -u -v -w:", destroys="-o")),
    ("sort", Row(READ, _SORT, asks="--compress-program", destroys="-o --output", writes="-T --temporary-directory")),
    (
        "shuf",
        Row(
            READ, "-n: -e -i: -z -r --head-count: --echo --input-range: --zero-terminated --repeat --random-source:", destroys="-o --output"
        ),
    ),
    (
        "uniq",
        Row(
            READ,
            (
                "-c -d -D -u -i -z -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars: "
                "--all-repeated --group --zero-terminated"
            ),
            most=1,
            destructive=True,
        ),
    ),
    ("iconv", Row(READ, "-f: -t: -c -s -l --from-code: --to-code: --list --silent", destroys="-o --output")),
    (
        "base32 base64 basenc",
        Row(READ, "-d -D -w: -i --decode --wrap: --ignore-garbage --base64 --base64url --base32 --base16", destroys="-o --output"),
    ),
    (
        "b2sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum",
        Row(
            READ, ("* -b -c -l: -t -w -z --binary --check --length: --tag --text --zero --ignore-missing --quiet --status --strict --warn")
        ),
    ),
    (
        "md5 shasum",
        Row(
            READ,
            (
                "* -a: -b -c -t -U -0 -q -r -s -w -p -x --algorithm: --binary --check --text --quiet --status --warn --tag --UNIVERSAL "
                "--strict"
            ),
        ),
    ),
    (
        "cksum sum",
        Row(
            READ,
            (
                "* -a: -c -l: -z -r -s -o: --algorithm: --check --length: --tag --untagged --zero --sysv --ignore-missing --quiet "
                "--status --strict --warn --debug"
            ),
        ),
    ),
    (
        "od",
        Row(
            READ,
            (
                "* -A: -j: -N: -S? -t: -v -w? -a -b -c -d -f -i -l -o -s -x --address-radix: --endian: --skip-bytes: --read-bytes: "
                "--strings --format: --output-duplicates --width --traditional"
            ),
        ),
    ),
    (
        "hd hexdump",
        Row(
            READ,
            (
                "* -b -c -C -d -e: -f: -n: -o -s: -v -x --canonical --one-byte-octal --one-byte-char --two-bytes-decimal --format: "
                "--format-file: --length: --skip: --no-squeezing --two-bytes-hex"
            ),
        ),
    ),
    (
        "xxd",
        Row(
            READ,
            "-l: -s: -c: -g: -o: -n: -p -ps -plain -i -b -bits -e -u -r -revert -a -d -E -C -len: -seek: -cols: -groupsize:",
            most=1,
            destructive=True,
        ),
    ),
    (
        "strings",
        Row(
            READ,
            (
                "* -a -d -f -n: -o -t: -e: -U: -T: -w -s: --all --data --print-file-name --bytes: --radix: --encoding: --unicode: "
                "--target: --include-all-whitespace --output-separator:"
            ),
        ),
    ),
    ("bzcat gzcat lzcat xzcat zcat", Row(READ, "-f -q -v -k -T? --quiet --verbose --force")),
    ("zstdcat", Row(READ, "-q -v -T?", destroys="-o --rm -f --force --output-dir-flat --output-dir-mirror")),
    ("gojq jq", Row(READ, f"* {_JQ}")),
    ("jaq", Row(READ, _JQ, destroys="-i --in-place")),
    (
        "yq",
        Row(
            READ,
            (
                "-r -c -e -o: -p: -P -n -N -M -C -j -y -I: --raw-output --output-format: --input-format: --prettyPrint --no-doc "
                "--no-colors --colors --exit-status --unwrapScalar --indent: --null-input"
            ),
            asks="--split-exp-file --security-enable-system-operator",
            destroys="-s --split-exp",
            writes="-i --inplace --in-place",
        ),
    ),
    (
        "xmllint",
        Row(
            READ,
            (
                "--format --noout --xpath: --html --recover --nonet --nowarning --noblanks --pretty: --encode: --xmlout --c14n "
                "--dropdtd --huge"
            ),
            destroys="-o --output",
            urls=True,
        ),
    ),
    ("yamllint", Row(READ, "-f: -d: -s --format: --strict --no-warnings --config-data: --list-files")),
    (
        "shellcheck",
        Row(
            READ,
            (
                "-a -C? -f: -e: -i: -s: -S: -x -o: -W: --check-sourced --color --format: --exclude: --include: --shell: --severity: "
                "--external-sources --enable: --wiki-link-count: --norc"
            ),
        ),
    ),
    (
        "cloc",
        Row(READ, "--exclude-dir: --include-lang: --by-file --csv --json --quiet --md", destroys="--out --report-file --write-lang-def"),
    ),
    ("tokei", Row(READ, "-e: -f -C -o: -s: -t: --exclude: --files --hidden --no-ignore --sort: --output: --type:")),
    # ── What is inside files ──
    (
        "nm",
        Row(
            READ,
            (
                "-A -a -B -C -D -f: -g -h -l -n -o -p -P -r -S -s -t: -u -U -v -W -X: --demangle --dynamic --defined-only "
                "--undefined-only --extern-only --size-sort --print-size --numeric-sort --no-sort --reverse-sort --format: --radix:"
            ),
            urls=True,
        ),
    ),
    (
        "objdump",
        Row(
            READ,
            (
                "-a -C -d -D -EB -EL -f -F -h -H -i -j: -M: -m: -p -r -R -s -t -T -w -x -z --archive-headers --demangle --disassemble "
                "--disassemble-all --disassemble-zeroes --file-headers --section-headers --headers --section: --disassembler-options: "
                "--architecture: --private-headers --reloc --dynamic-reloc --full-contents --syms --dynamic-syms --all-headers "
                "--no-show-raw-insn --start-address: --stop-address: --wide"
            ),
            urls=True,
        ),
    ),
    (
        "readelf",
        Row(
            READ,
            (
                "-a -h -l -S -s -d -n -r -e -W -V -A -t -x: -p: --all --headers --symbols --dynamic --wide --notes --relocs --sections "
                "--segments --file-header"
            ),
            urls=True,
        ),
    ),
    ("c++filt size", Row(READ, "-A -B -d -o -x -t -n -p -i -s: -_ --format: --radix: --common --totals --no-params --types")),
    ("lipo otool", Row(READ, "-L -h -l -t -v -d -D -f -info -archs")),
    ("pdffonts pdfinfo", Row(READ, "-box -f: -l: -isodates -rawdates -meta -struct -enc: -opw: -upw: -subst")),
    (
        "ffprobe",
        Row(
            READ,
            (
                "-i -v: -of: -loglevel: -print_format: -select_streams: -show_entries: -show_format -show_streams -show_chapters "
                "-show_frames -show_packets -count_frames -count_packets -hide_banner -pretty -unit -sexagesimal"
            ),
            urls=True,
            long=True,
        ),
    ),
    (
        "exiftool",
        Row(
            READ,
            (
                "-a -b -c: -d: -ext: -f -fast -g -G -G1 -H -j -json -l -m -n -q -r -s -s3 -S -t -T -u -U -v -FileName -FileSize "
                "-FileType -MIMEType -ImageSize -ImageWidth -ImageHeight -Duration -CreateDate -DateTimeOriginal -Make -Model "
                "-Orientation -GPSLatitude -GPSLongitude -GPSPosition"
            ),
            sets=True,
            long=True,
        ),
    ),
    ("mediainfo", Row(READ, "-f --full --Full --Output: --Language:", urls=True)),
    # ── Archives ──
    ("zipinfo", Row(READ, "-1 -2 -s -m -l -v -h -M -t -T -z")),
    ("lsar", Row(READ, "-l -L -v -j -json -test -t")),
    # ── The machine, its processes and users ──
    ("ps", Row(READ, "*")),
    (
        "pgrep",
        Row(
            READ,
            (
                "* -c -d: -f -g: -G: -i -l -a -n -o -O: -P: -s: -t: -u: -U: -v -w -x -F: -L -r: -A --count --delimiter: --full "
                "--pgroup: --group: --ignore-case --list-name --list-full --newest --oldest --older: --parent: --session: --terminal: "
                "--euid: --uid: --inverse --lightweight --exact --pidfile: --runstates: --ns: --nslist:"
            ),
        ),
    ),
    ("pidof", Row(READ, "* -s -c -q -x -z -d: -o: -S:")),
    ("pstree", Row(READ, "-a -A -c -C: -g -G -h -H: -l -n -N: -p -s -S -t -T -u -U -w -Z")),
    ("pmap", Row(READ, "-x -d -q -A: -X -XX -p --extended --device --quiet --range: --show-path")),
    ("lsmod pwdx sw_vers vm_stat", Row(READ, "* -productName -productVersion -buildVersion --productName --productVersion --buildVersion")),
    (
        "top",
        Row(
            READ,
            "-b -c -d: -E: -e: -H -i -l: -n: -o: -O: -p: -s: -S -u: -U: -w? -F -R -1 -stats: -pid: --batch --delay: --iterations: --pid:",
        ),
    ),
    (
        "fuser",
        Row(
            READ,
            "-a -c -I -l -m: -M -n: -s -u -v -4 -6 --all --mount: --namespace: --silent --user --verbose --ipv4 --ipv6",
            destroys="-k --kill",
        ),
    ),
    ("lsof", Row(READ, "-i? -p: -u: -c: -t -n -P -a -l -R -U -w -b -s? -d: -F? -g? -L -N -O -T? +D +d +c +L")),
    ("uptime", Row(READ, "* -p -s -r --pretty --since --raw")),
    (
        "free",
        Row(
            READ,
            (
                "* -b -k -m -g -h -w -c: -l -s: -t -v --bytes --kibi --mebi --gibi --tebi --pebi --kilo --mega --giga --si --human "
                "--wide --count: --lohi --seconds: --total --committed"
            ),
        ),
    ),
    (
        "vmstat",
        Row(
            READ,
            (
                "* -a -f -m -n -s -d -D -p: -S: -t -w -y --active --forks --slabs --one-header --stats --disk --disk-sum --partition: "
                "--unit: --timestamp --wide --no-first"
            ),
        ),
    ),
    (
        "iostat mpstat pidstat",
        Row(READ, "-A -c -C: -d -h -H -I: -j: -k -l -m -N -p: -P: -r -R -s -t -T: -u -U -v -w -x -y -z -o: --human --pretty --dec:"),
    ),
    (
        "nvidia-smi",
        Row(
            READ,
            "-L -q -l: -lms: -i: -d: -x --list-gpus --query --query-gpu: --query-compute-apps: --format: --id: --loop: --display:",
            most=0,
            long=True,
        ),
    ),
    ("sensors", Row(READ, "-A -f -j -u --no-adapter --fahrenheit")),
    (
        "lscpu",
        Row(
            READ,
            "* -a -B -b -c -C? -e? -J -p? -x -y --all --bytes --online --offline --extended --json --parse --hex --physical --output-all",
        ),
    ),
    (
        "lsblk",
        Row(
            READ,
            (
                "* -A -a -b -D -d -E: -e: -f -I: -i -J -l -M -m -n -o: -O -P -p -r -S -s -T? -t -x: -y -z -w: --noempty --all --bytes "
                "--discard --nodeps --exclude: --fs --include: --ascii --json --list --merge --perms --noheadings --output: "
                "--output-all --pairs --paths --raw --scsi --inverse --tree --topology --sort: --zoned --width:"
            ),
        ),
    ),
    (
        "ipcs lsipc lslocks lsmem lsns",
        Row(
            READ,
            (
                "* -a -b -J -n -o: -P -p: -r -S: -t: -u -W -T? -i: -l -m -q -s -c -H --all --bytes --json --noheadings --output: "
                "--output-all --pairs --raw --task: --type: --notruncate --nowrap --tree --summary --human"
            ),
        ),
    ),
    ("lspci", Row(READ, "-v -vv -vvv -k -n -nn -t -m -mm -s: -d: -D -x -b -P -PP")),
    ("lsusb", Row(READ, "-v -t -s: -d: -D: --verbose --tree")),
    ("modinfo", Row(READ, "-F: -0 -a -d -l -p -n -k: --field: --null --author --description --license --parameters --filename")),
    (
        "dmesg",
        Row(
            READ,
            (
                "-T -H -k -l: -L -t -w -x -u -P -f: -e -r -d -J --ctime --human --kernel --level: --facility: --color --follow "
                "--reltime --raw --nopager --since: --until: --userspace --decode --notime --json"
            ),
            destroys="-c -C --clear --read-clear",
            writes="-D -E -n --console-off --console-on --console-level",
        ),
    ),
    (
        "journalctl",
        Row(
            READ,
            _JOURNAL,
            asks="-H --host -M --machine",
            destroys="--vacuum-size --vacuum-time --vacuum-files --cursor-file",
            writes="--rotate --flush --sync --setup-keys --update-catalog",
        ),
    ),
    (
        "last lastb lastlog",
        Row(
            READ,
            (
                "-a -F -f: -i -n: -p: -R -s: -t: -w -x -b: -u: --hostlast --fulltimes --file: --ip --limit: --present: "
                "--nohostname --since: --until: --fullnames --system --before: --time: --user:"
            ),
        ),
    ),
    (
        "sar",
        Row(READ, "-A -b -B -d -F -h -H -I: -m: -n: -p -P: -q -r -R -s: -S -t -u -v -V -w -W -y -z -f: -e: -i: --human --pretty --dec:"),
    ),
    (
        "who",
        Row(
            READ,
            (
                "* -a -b -d -H -l -m -p -q -r -s -t -T -w -u --all --boot --dead --heading --ips --login --process --count "
                "--runlevel --short --time --mesg --users"
            ),
        ),
    ),
    ("w", Row(READ, "* -h -u -s -f -i -o --no-header --no-current --short --from --ip-addr --old-style")),
    ("tty whoami", Row(READ, "* -s --silent --quiet")),
    ("id", Row(READ, "* -a -Z -g -G -n -r -u -z -p -P -F --context --group --groups --name --real --user --zero")),
    (
        "uname",
        Row(
            READ,
            (
                "* -a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor "
                "--hardware-platform --operating-system"
            ),
        ),
    ),
    ("lsb_release", Row(READ, "* -a -c -d -i -r -s -v --all --codename --description --id --release --short")),
    ("getconf", Row(READ, "* -a -v:")),
    ("locale", Row(READ, "* -a -m -c -k -v --all-locales --charmaps --category-name --keyword-name --verbose")),
    ("printenv", Row(READ, "* -0 --null")),
    (
        "cal ncal",
        Row(
            READ,
            (
                "* -1 -3 -A: -B: -b -C -d: -h -H: -J -j -m: -M -N -S -n: -s -w -y -Y --one --three --sunday --monday --julian --year "
                "--months:"
            ),
        ),
    ),
    ("apropos whatis", Row(READ, "-d -v -e -w -r -a -l -s: -m: -M: -L: --exact --wildcard --regex --and --long --sections: --section:")),
    (
        "man",
        Row(
            READ,
            "-k -f -w -W -a -s: -S: -7 --apropos --whatis --where --path --all --sections: --nh --nj --no-hyphenation --no-justification",
        ),
    ),
    ("whereis", Row(READ, "* -b -m -s -u -l")),
    ("tput", Row(READ, "-T: -S")),
    ("infocmp", Row(READ, "-0 -1 -a -A: -B: -c -d -n -I -L -C -x -w:")),
    (
        "ss",
        Row(
            READ,
            (
                "-H -O -n -a -l -o -e -m -p -T -i -s -E -Z -z -N: -b -4 -6 -0 -t -u -d -w -x -S -f: -M -A: --no-header --oneline "
                "--numeric --all --listening --options --extended --memory --processes --threads --info --summary --ipv4 "
                "--ipv6 --packet --tcp --udp --raw --unix --sctp --family: --query:"
            ),
            destroys="-K --kill -D --diag",
        ),
    ),
    (
        "netstat",
        Row(
            READ,
            (
                "-r -e -g -i -I: -M -s -v -W -n -A: -c -o -p: -l -a -F -C -t -u -w -x -L -f: -b -d -4 -6 --route --interfaces --groups "
                "--statistics --verbose --wide --numeric --numeric-hosts --numeric-ports --extend --timers --program --listening --all "
                "--tcp --udp --raw --unix"
            ),
        ),
    ),
    ("arp", Row(READ, "-a -n -e -v -i: -l --all --numeric --verbose", most=1)),
    (
        "hostname",
        Row(
            READ,
            "-f -s -i -I -d -A -y --fqdn --long --short --ip-address --all-ip-addresses --domain --all-fqdns",
            writes="-F --file -b --boot",
            most=0,
        ),
    ),
    ("ifconfig", Row(READ, "-a -s -v -l", most=1)),
    ("route", Row(READ, "-n -e -ee -v -4 -6", most=0)),
    (
        "ip6tables iptables",
        Row(
            READ,
            "-L -S -n -v -x -t: --list --list-rules --numeric --verbose --exact --table: --line-numbers",
            destroys=(
                "-F --flush -D --delete -X --delete-chain -Z --zero -A --append -I --insert -R --replace -P --policy -N --new-chain -E "
                "--rename-chain"
            ),
            asks="-M --modprobe",
            most=1,
        ),
    ),
    ("ip6tables-save iptables-save", Row(READ, "-c -t: --counters --table:", destroys="-f --file", asks="-M --modprobe")),
    (
        "sysctl",
        Row(
            READ,
            "-a -n -e -N -r: -b -A -X -o -x -d --all --values --ignore --names --pattern: --binary --deprecated",
            writes="-w --write -p -f --load --system -q --quiet",
            sets=True,
        ),
    ),
    ("mount", Row(UNKNOWN, "-l -t: --show-labels --types:", bare=READ)),
    ("swapon", Row(UNKNOWN, "-s --summary --show --noheadings --raw --bytes", bare=READ)),
    ("ssh-add", Row(WRITE, "-E: -q", asks="-s -e -S", destroys="-D -d", reads="-l -L")),
    # ── Packages that are here ──
    ("dpkg-query", Row(READ, "-l -W -s -L -S -p -f: --list --show --status --listfiles --search --print-avail --showformat: --no-pager")),
    ("code", Row(UNKNOWN, "-h", reads="--list-extensions --version -v")),
    # ── Programs of macOS that only show ──
    (
        "ioreg mdfind mdls system_profiler",
        Row(READ, "-name: -raw -nullMarker: -onlyin: -count -0 -json -xml -detailLevel: -l -p: -c: -n: -r -w: -x -d:", long=True),
    ),
    ("pbpaste", Row(READ, "-pboard: -Prefer:")),
    # ── Make or change files here ──
    ("chattr chgrp chmod chown mkdir mkfifo mknod setfacl touch", Row(WRITE)),
    ("cp mv", Row(WRITE, _COPY, spares="-n --no-clobber", destructive=True)),
    ("ln", Row(WRITE, destroys="-f --force -b --backup -S --suffix -i --interactive")),
    ("install", Row(WRITE, _INSTALL, asks="-s --strip --strip-program", spares="-d --directory", destructive=True)),
    ("split", Row(WRITE, asks="--filter", destructive=True)),
    ("csplit dos2unix fallocate sponge unix2dos", Row(WRITE, destructive=True)),
    ("mktemp", Row(WRITE, "-d -q -t -p: --directory --quiet --tmpdir --suffix:", reads="-u --dry-run")),
    ("zip", Row(WRITE, asks=_ZIP_ASKS, destroys=_ZIP_DESTROYS)),
    ("unzip", Row(WRITE, "-q -P: -1 -C -n", destroys="-o", reads="-l -t -v -Z -z -p", destructive=True, spares="-n")),
    ("ar cpio unar unrar", Row(WRITE, destructive=True)),
    ("patch", Row(WRITE, _PATCH, asks="-e --ed -g --get", destroys="-o --output -r --reject-file -B -Y -z -V", reads="--dry-run")),
    ("crontab", Row(WRITE, "-u:", asks="-e", destroys="-r -i", reads="-l", destructive=True)),
    ("mkfs", Row(WRITE, destructive=True)),  # alone, because the host's scanner refuses a plugin for that word beside others
    ("mkswap rm rmdir shred trash truncate unlink wipefs", Row(WRITE, destructive=True)),
    ("killall pkill skill xkill", Row(WRITE, destructive=True)),
    ("halt poweroff reboot shutdown", Row(WRITE, destructive=True)),
    ("delgroup deluser groupdel userdel", Row(WRITE, destructive=True)),
    ("addgroup adduser chage chpasswd chsh gpasswd groupadd groupmod passwd useradd usermod", Row(WRITE)),
    ("gofmt", Row(READ, "-l -d -s -e -r:", writes="-w -cpuprofile")),
    (
        "clang-format",
        Row(
            READ,
            "-style: --style: -n --dry-run -Werror --Werror --verbose --assume-filename: -fallback-style:",
            writes="-i",
            urls=True,
            long=True,
        ),
    ),
    (
        "autopep8 black dprint isort rustfmt shfmt stylua yapf",
        Row(
            WRITE,
            (
                "-l: -t: -q -v --line-length: --target-version: --quiet --verbose --fast --safe --profile: --skip-string-normalization "
                "--edition:"
            ),
        ),
    ),
    ("eslint prettier stylelint", Row(UNKNOWN)),
    ("composite convert magick mogrify montage", Row(WRITE, destructive=True, asks="-process -script -write", urls=True)),
    ("pdfimages pdfseparate pdftocairo pdftoppm pdfunite qpdf", Row(WRITE, destructive=True)),
    ("logger notify-send pbcopy say screencapture scrot wl-copy xclip xsel", Row(WRITE)),
    ("bg disown fg renice reset setterm stty suspend sync", Row(WRITE)),
    ("gpg gpg2", Row(WRITE, _GPG, asks=_GPG_ASKS, destroys=_GPG_DESTROYS)),
    ("ldconfig mandb updatedb", Row(WRITE)),
    ("cfdisk losetup lvremove mdadm parted pvremove sfdisk sgdisk swapoff umount vgremove", Row(WRITE, destructive=True)),
    ("fdisk", Row(UNKNOWN, "-o: -u: -b: -L -x", reads="-l --list")),
    ("smartctl", Row(UNKNOWN, "-d: -n: -q: -f:", reads="-i -H -a -x -A --info --health --all --xall --attributes --scan")),
    (
        "dpkg",
        Row(
            UNKNOWN,
            "--no-pager",
            asks="--pre-invoke --post-invoke --force-all",
            reads=(
                "-l -L -s -S -p -c -I --list --listfiles --status --search --print-avail --contents --info --get-selections "
                "--print-architecture --print-foreign-architectures --compare-versions -C --audit -V --verify"
            ),
            destroys="-r -P --remove --purge --clear-selections",
        ),
    ),
    (
        "rpm",
        Row(
            UNKNOWN,
            "-a -i -l -f -c -d -R -V --qf: --queryformat: --all --info --list --file --changelog --scripts --requires --provides --last",
            reads="-q --query",
        ),
    ),
    (
        "pacman",
        Row(EXTERNAL, "-i -l -o -s -e -d -t -m -n -q -k -u", reads="-Q --query", destroys="-R -Rs -Rns -Rsn -Rc -Rdd -Scc --remove"),
    ),
    # ── Code, or whatever it is told: known, and judged unknown ──
    ("ipython pypy python python2 python3", Row(UNKNOWN)),
    ("csh fish ksh tcsh zsh", Row(UNKNOWN)),
    ("node nodejs", Row(UNKNOWN, reads="-c --check")),
    ("php", Row(UNKNOWN, reads="-l --syntax-check")),
    ("identify", Row(UNKNOWN)),
    ("ruby", Row(UNKNOWN)),
    ("R Rscript elixir erl expect ghci groovy guile java julia kotlin lua luajit perl racket sbcl scala tclsh", Row(UNKNOWN)),
    ("electron ts-node tsx", Row(UNKNOWN)),
    ("as c++ cc clang clang++ g++ gcc ghc javac kotlinc ld nim rustc swift swiftc tsc zig", Row(UNKNOWN)),
    ("ant bazel cmake gmake invoke mage make meson ninja nox rake scons task tox", Row(UNKNOWN)),
    ("coverage cypress flake8 jest mocha mypy phpunit playwright py.test pylint pyright pytest rspec vitest", Row(UNKNOWN)),
    (
        (
            ". bind complete compopt coproc declare enable eval export getopts let mapfile readarray readonly "
            "shopt source trap typeset unset"
        ),
        Row(UNKNOWN),
    ),
    ("ed emacs ex helix less micro more nano nvim pico vi view vim", Row(UNKNOWN)),
    ("bpftrace dc gdb gs ldd lldb ltrace perf perl-rename prename rename script strace valgrind", Row(UNKNOWN)),
    ("anacron at batch init rc-service run-parts runuser service su systemd-run telinit", Row(UNKNOWN)),
    ("insmod kexec modprobe rmmod", Row(UNKNOWN, destructive=True)),
    ("aider btrfs claude codex duckdb gemini gradle hermes hg jj lvm mlr mvn pass sqlplus vagrant zfs zpool", Row(UNKNOWN)),
    ("cmd open osascript powershell pwsh start xdg-open", Row(UNKNOWN)),
    ("apachectl caddy celery django-admin flask gunicorn haproxy httpd nginx pm2 rails supervisord uvicorn", Row(UNKNOWN)),
    ("asdf direnv fnm mise module nvm rbenv sdk volta", Row(UNKNOWN)),
    # ── What reaches other systems ──
    *SAVERS,
    (REACHING, Row(EXTERNAL)),
)
"""Programs that are judged as a whole (B20: a flag may turn a reader into something else)."""

_GIT_RANGE = (
    "--all --branches --tags --remotes --since: --until: --after: --before: --author: --committer: --grep: --no-merges --merges "
    "--first-parent --reverse --max-count: --skip: --topo-order --date-order --author-date-order --left-right --cherry-pick --cherry-mark "
    "--cherry --boundary --simplify-by-decoration --full-history --ancestry-path --not --no-walk --date: --format: --pretty: --oneline "
    "--abbrev-commit --no-abbrev-commit --abbrev --color --no-color --count --parents --children --objects --max-parents: --min-parents: "
    "--right-only --left-only --show-pulls --all-match --invert-grep --regexp-ignore-case -i -E -F -P -z "
)
_GIT_LOG = _GIT_RANGE + (
    "-n: -p -u -s -S: -G: -L: -U: -w -b -M? -C? -B? -D -R -W -a -q -r -t -c -m -g -O: -l: -X? --patch --no-patch --stat --shortstat "
    "--numstat --name-only --name-status --graph --decorate --no-decorate --decorate-refs: --follow --word-diff --word-diff-regex: "
    "--color-words --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --unified: "
    "--minimal --patience --histogram --diff-algorithm: --diff-filter: --find-renames --find-copies --find-copies-harder --no-renames "
    "--raw --summary --dirstat --check --cached --staged --merge-base --no-index --exit-code --quiet --relative --no-relative --text "
    "--full-index --binary --src-prefix: --dst-prefix: --no-prefix --inter-hunk-context: --function-context --submodule --compact-summary "
    "--ignore-submodules --no-ext-diff --no-textconv --walk-reflogs --source --use-mailmap --mailmap --no-notes --notes --encoding: "
    "--null --root --cc --pickaxe-all --pickaxe-regex --color-moved --no-color-moved --ws-error-highlight: --no-commit-id --log-size "
    "--remerge-diff --diff-merges: --show-linear-break --theirs --ours --base --creation-factor: --no-dual-color --no-expand-tabs"
)
_GIT_BLAME = (
    "-L: -w -M? -C? -e -s -l -t -n -f -p -c -b --porcelain --line-porcelain --incremental --date: --since: --reverse --first-parent "
    "--show-email --show-name --show-number --root --abbrev: --color-lines --color-by-age --ignore-rev: --ignore-revs-file: --minimal"
)
_GIT_GREP = (
    "-n -i -w -v -E -F -P -G -l -L -c -h -H -o -e: -A: -B: -C: -p -W -q -z -r -a -I -f: -m: --and --or --not --all-match --name-only "
    "--files-with-matches --files-without-match --count --color --no-color --break --heading --line-number --column --word-regexp "
    "--ignore-case --extended-regexp --basic-regexp --fixed-strings --perl-regexp --invert-match --untracked --cached "
    "--recurse-submodules --no-index --max-depth: --max-count: --context: --after-context: --before-context: --show-function "
    "--function-context --threads: --exclude-standard --only-matching --text --quiet --null --full-name"
)
_GIT_PICKS = "--sort: --format: --column --no-column --color --no-color --abbrev --ignore-case -i "
_GIT_CONFIG = (
    "--global --local --system --worktree --show-origin --show-scope --show-names --name-only --includes --no-includes --bool --int --path "
    "--bool-or-int --expiry-date --type: --default: --all --regexp --url: --value: --fixed-value -f: --file: -z --null"
)
_UNITS = (
    "-l --full --no-pager -n: --lines: -a --all -t: --type: --state: -p: -P: --property: --value -q --quiet --user --system --failed "
    "--plain --no-legend -o: --output: --reverse --after --before"
)
_GIT_SHOWS = Row(READ, _GIT_LOG, asks="--ext-diff --textconv --show-signature", destroys="--output")
SUBCOMMANDS: Mapping[str, Table] = {
    "git": (
        ("describe ls-files ls-tree merge-base name-rev rev-parse show-ref status", Row(READ, "*")),
        ("check-attr check-ignore check-mailmap check-ref-format cherry count-objects var version", Row(READ, "*")),
        ("column get-tar-commit-id patch-id stripspace", Row(READ, "* -s -c --mode: --padding: --indent: --stable --unstable --verbatim")),
        (
            "fsck",
            Row(READ, "--full --no-reflogs --unreachable --dangling --no-dangling --root --tags --cache --strict --verbose --name-objects"),
        ),
        (
            "show-branch",
            Row(
                READ,
                "-r -a -g? --all --remotes --current --topo-order --date-order --sparse --more: --list --merge-base --independent "
                "--no-name --sha1-name --topics --reflog --color --no-color",
            ),
        ),
        ("difftool filter-branch gui instaweb maintenance mergetool", Row(UNKNOWN)),
        ("commit-tree hash-object merge-tree mktree pack-refs write-tree", Row(WRITE)),
        ("checkout-index read-tree repack replace update-index", Row(WRITE, destructive=True)),
        ("sparse-checkout", Row(WRITE, destructive=True)),
        ("sparse-checkout|list", Row(READ)),
        ("for-each-ref", Row(READ, _GIT_PICKS + "--count: --contains --no-contains --merged --no-merged --points-at: --shell --exclude:")),
        ("diff diff-files diff-index diff-tree log range-diff rev-list show whatchanged", _GIT_SHOWS),
        ("shortlog", Row(READ, _GIT_RANGE + "-s -n -e -c -w? --summary --numbered --email --group:", destroys="--output")),
        ("blame", Row(READ, _GIT_BLAME, asks="--textconv --ext-diff", destroys="--output")),
        ("grep", Row(READ, _GIT_GREP, asks="-O --open-files-in-pager --ext-grep --textconv")),
        (
            "cat-file",
            Row(
                READ,
                "-p -t -s -e -Z --batch --batch-check --batch-all-objects --unordered --buffer --follow-symlinks --use-mailmap",
                asks="--textconv --filters --batch-command",
            ),
        ),
        (
            "archive",
            Row(READ, "--format: --prefix: -l --list -v --verbose", asks="--remote --exec", destroys="-o --output"),
        ),
        (
            "apply",
            Row(
                WRITE,
                "-p: -C: -R --reverse --cached --index -v --verbose --recount --unidiff-zero --whitespace: --directory: --include: "
                "--exclude: --ignore-whitespace --allow-empty -z -q --quiet",
                destroys="--build-fake-ancestor --unsafe-paths",
                writes="--apply",
                reads="--check --stat --numstat --summary",
            ),
        ),
        ("symbolic-ref", Row(READ, "-q --quiet --short -m:", destroys="-d --delete", most=1)),
        (
            "branch",
            Row(
                WRITE,
                _GIT_PICKS + "-a -r -v -vv --all --remotes --verbose",
                asks="--edit-description",
                destroys="-d -D --delete -f --force -m -M --move -C",
                writes="-c --copy -u --set-upstream-to --unset-upstream -t --track",
                reads="-l --list --show-current --contains --no-contains --merged --no-merged --points-at",
                bare=READ,
            ),
        ),
        (
            "tag",
            Row(
                WRITE,
                _GIT_PICKS,
                asks="-v --verify",
                destroys="-d --delete -f --force",
                writes="-a -s -u -m -F --annotate --sign --message --file --local-user",
                reads="-l --list --contains --no-contains --merged --no-merged --points-at -n",
                bare=READ,
            ),
        ),
        ("remote", Row(UNKNOWN, "-v --verbose", bare=READ)),
        ("remote|get-url", Row(READ, "--push --all")),
        ("remote|add remote|rename remote|set-branches remote|set-head remote|set-url", Row(WRITE)),
        ("remote|remove remote|rm", Row(WRITE, destructive=True)),
        ("remote|prune remote|show remote|update", Row(EXTERNAL)),
        (
            "config",
            Row(
                READ,
                _GIT_CONFIG,
                asks="-e --edit --blob --unset --unset-all --remove-section --rename-section --replace-all --add",
                reads="-l --list --get --get-all --get-regexp --get-urlmatch",
                most=1,
            ),
        ),
        ("config|get config|list", Row(READ, _GIT_CONFIG)),
        ("config|edit config|remove-section config|rename-section config|set config|unset", Row(UNKNOWN)),
        ("stash", Row(UNKNOWN, bare=WRITE)),
        ("stash|list stash|show", _GIT_SHOWS),
        ("stash|apply stash|branch stash|create stash|pop stash|push stash|save stash|store", Row(WRITE)),
        ("stash|clear stash|drop", Row(WRITE, destructive=True)),
        ("reflog", Row(UNKNOWN, _GIT_LOG, destroys="--output", bare=READ)),
        ("reflog|exists reflog|list reflog|show", _GIT_SHOWS),
        ("reflog|delete reflog|drop reflog|expire", Row(WRITE, destructive=True)),
        ("worktree", Row(UNKNOWN)),
        ("worktree|list", Row(READ, "-v -z --verbose --porcelain")),
        ("worktree|add worktree|lock worktree|move worktree|repair worktree|unlock", Row(WRITE, destroys="-f --force -B")),
        ("worktree|prune worktree|remove", Row(WRITE, destructive=True)),
        ("notes", Row(UNKNOWN, bare=READ)),
        ("notes|list notes|show", Row(READ)),
        ("bisect", Row(UNKNOWN)),
        ("bisect|log", Row(READ)),
        ("bisect|bad bisect|good bisect|new bisect|old bisect|reset bisect|skip bisect|start", Row(WRITE)),
        ("submodule", Row(UNKNOWN, bare=READ)),
        ("submodule|status submodule|summary", Row(READ, "-q --quiet --cached --recursive")),
        ("submodule|init", Row(WRITE)),
        ("submodule|add submodule|sync submodule|update", Row(EXTERNAL, destroys="-f --force")),
        ("add am commit mv", Row(WRITE, asks="-i --interactive -e --edit", destroys="-f --force --abort --skip")),
        ("cherry-pick merge revert", Row(WRITE, asks="-e --edit", destroys="--abort --skip")),
        ("init", Row(WRITE, asks="--template")),
        (
            "format-patch",
            Row(
                WRITE,
                "-n -N -k -s -v: -M? --stdout --signoff --numbered --no-numbered --root --stat --no-stat --cover-letter --reroll-count:",
                asks="--ext-diff --textconv",
                destructive=True,
                spares="--stdout",
            ),
        ),
        ("bundle", Row(UNKNOWN)),
        ("bundle|create", Row(WRITE, destructive=True)),
        ("bundle|list-heads bundle|verify", Row(READ, "-q --quiet")),
        ("bundle|unbundle", Row(WRITE)),
        ("rebase", Row(WRITE, asks="-i --interactive -x --exec --edit-todo", destroys="--abort --skip")),
        ("switch", Row(WRITE, destroys="-f --force --discard-changes -C --force-create")),
        ("checkout", Row(WRITE, destroys="-f --force -B -p --patch --ours --theirs --pathspec-from-file")),
        ("reset", Row(WRITE, destroys="--hard --merge --keep")),
        ("clean", Row(WRITE, "-d -x -X -q -e: --quiet --exclude:", asks="-i --interactive", reads="-n --dry-run", destructive=True)),
        ("filter-repo gc prune restore rm update-ref", Row(WRITE, destructive=True)),
        ("push", Row(EXTERNAL, destroys="-f --force --force-with-lease --force-if-includes -d --delete --mirror --prune")),
        ("fetch pull", Row(EXTERNAL, destroys="-f --force")),
        ("clone lfs ls-remote p4 request-pull send-email svn", Row(EXTERNAL)),
    ),
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
    "gh": (
        ("alias|list completion config|get config|list", Row(READ, "-h: -s: --host: --shell:")),
        ("alias|import alias|set config|set", Row(UNKNOWN)),
        ("*", Row(EXTERNAL, destroys="--delete-branch --admin --force")),
    ),
    "glab": (
        ("alias|list completion config|get", Row(READ, "-g -h: --global --host: -s:")),
        ("*", Row(EXTERNAL)),
    ),
    "svn": (
        ("info st stat status", Row(READ, "-v -q -N -R --verbose --quiet --depth: --show-item: --no-newline --xml --recursive", urls=True)),
        ("cleanup", Row(WRITE, destroys="--remove-unversioned", destructive=True)),
        ("revert", Row(WRITE, destructive=True)),
        ("add copy cp mkdir move mv rename", Row(WRITE, asks="-F --file --editor-cmd")),
        ("*", Row(EXTERNAL, destroys="--force")),
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
    "npm": (
        ("bin prefix root", Row(READ, "-g --global")),
        ("la list ll ls", Row(READ, "-g -a -l -p --global --all --long --parseable --json --depth: --prod --production --omit: --dev")),
        ("explain query why", Row(READ, "--json")),
        ("config|get config|list config|ls get", Row(READ, "-l -g --json --long --global --location:")),
        ("run run-script", Row(UNKNOWN, "--json", bare=READ)),
        ("version", Row(UNKNOWN, "--json", bare=READ)),
        ("pkg|get", Row(READ, "--json")),
        ("cache|ls cache|verify", Row(WRITE)),
        ("cache|clean", Row(WRITE, destructive=True)),
        ("r remove rm un uninstall unlink", Row(UNKNOWN, destructive=True)),
        (
            (
                "access add audit ci create deprecate dist-tag exec fund i info init install install-test login logout org outdated "
                "owner ping profile publish search show star team token up update upgrade v view whoami x"
            ),
            Row(EXTERNAL),
        ),
        ("unpublish", Row(EXTERNAL, destructive=True)),
        ("build install-scripts link pack prune rebuild restart start stop t test version-check", Row(UNKNOWN)),
    ),
    "pnpm": (
        ("add audit dlx fetch i install install-test login outdated publish search up update why-not", Row(EXTERNAL)),
        ("prune remove rm uninstall unlink", Row(UNKNOWN, destructive=True)),
        ("create exec licenses list ls root run start store test why", Row(UNKNOWN)),
    ),
    "yarn": (
        ("add audit dlx info install login npm outdated publish up upgrade", Row(EXTERNAL)),
        ("remove unlink", Row(UNKNOWN, destructive=True)),
        ("bin build config exec list node run start test version why workspace workspaces", Row(UNKNOWN)),
    ),
    "bun": (
        ("add create i install outdated publish update upgrade x", Row(EXTERNAL)),
        ("remove rm unlink", Row(UNKNOWN, destructive=True)),
        ("build exec init link pm repl run test", Row(UNKNOWN)),
    ),
    "deno": (
        ("add cache check compile eval install run serve task test upgrade vendor", Row(UNKNOWN)),
        ("fmt", Row(UNKNOWN, "-q --quiet --ext: --no-config", reads="--check")),
    ),
    "pip": (
        ("check freeze show", Row(READ, "-l -f -v -q --local --user --all --exclude: --files --verbose --quiet --exclude-editable")),
        (
            "list",
            Row(
                READ,
                "-e -l -v -q --editable --local --user --format: --not-required --exclude-editable --exclude: --pre --verbose --quiet",
                asks="-o --outdated -u --uptodate",
            ),
        ),
        (
            "cache|dir cache|info cache|list config|debug config|get config|list hash inspect",
            Row(READ, "-v -q -a: --local --user --global --site --verbose --quiet --format: --algorithm:"),
        ),
        ("config|edit config|set config|unset", Row(UNKNOWN)),
        ("cache|purge cache|remove", Row(WRITE, destructive=True)),
        ("download index install search wheel", Row(EXTERNAL, destroys="--report --log --force-reinstall -t --target")),
        ("uninstall", Row(WRITE, asks="--python --log", destructive=True)),
    ),
    "uv": (
        (
            "add lock pip|compile pip|install pip|sync publish python|install self|update sync tool|install tool|run tool|upgrade",
            Row(EXTERNAL),
        ),
        ("cache|clean cache|prune pip|uninstall python|uninstall remove tool|uninstall", Row(UNKNOWN, destructive=True)),
        ("build export init pip run tool tree venv", Row(UNKNOWN)),
        ("cache|dir python|dir tool|dir", Row(READ)),
    ),
    "poetry": (
        ("add install lock publish search self source update", Row(EXTERNAL)),
        ("remove", Row(UNKNOWN, destructive=True)),
        ("build check config env init run shell show version", Row(UNKNOWN)),
    ),
    "pipx": (
        ("environment list", Row(READ, "--short --json --include-injected --skip-maintenance")),
        ("inject install reinstall run upgrade upgrade-all", Row(EXTERNAL)),
        ("uninstall uninstall-all", Row(WRITE, destructive=True)),
    ),
    "conda": (
        (
            "info list",
            Row(
                READ,
                (
                    "-e -f -a -s -n: -p: --envs --all --export --explicit --json --name: --prefix: --full-name --system --base --md5 "
                    "--no-pip"
                ),
            ),
        ),
        ("config env|list", Row(UNKNOWN)),
        ("create env|create env|update install search update upgrade", Row(EXTERNAL)),
        ("clean env|remove remove uninstall", Row(UNKNOWN, destructive=True)),
        ("activate deactivate env|export init run", Row(UNKNOWN)),
    ),
    "cargo": (
        ("add audit fetch generate-lockfile install login logout owner publish search update vendor yank", Row(EXTERNAL)),
        ("clean remove rm uninstall", Row(UNKNOWN, destructive=True)),
        (
            "b bench build c check clippy d doc fix fmt locate-project metadata nextest package r run t test tree verify-project",
            Row(UNKNOWN),
        ),
        ("init new", Row(WRITE)),
    ),
    "rustup": (
        ("toolchain|list", Row(READ, "-v -q --verbose --quiet")),
        ("component|add install self|update target|add toolchain|install update", Row(EXTERNAL)),
        ("component|remove self|uninstall target|remove toolchain|remove toolchain|uninstall uninstall", Row(UNKNOWN, destructive=True)),
        ("component|list default doc override run show target|list which", Row(UNKNOWN)),
    ),
    "go": (
        ("get install", Row(EXTERNAL)),
        ("mod|download mod|tidy mod|vendor work|sync", Row(EXTERNAL)),
        ("clean", Row(UNKNOWN, destructive=True)),
        ("build doc env fix fmt generate list mod|edit mod|graph mod|init mod|verify mod|why run test tool version vet", Row(UNKNOWN)),
    ),
    "gem": (
        ("fetch install push search update", Row(EXTERNAL)),
        (
            "contents env environment list query specification which",
            Row(READ, "-l -d -q --local --details --quiet -v: --version: -i --installed", asks="-r --remote -a --all -b --both"),
        ),
        ("cleanup uninstall", Row(UNKNOWN, destructive=True)),
        ("build exec server", Row(UNKNOWN)),
    ),
    "bundle": (
        ("add install lock outdated update", Row(EXTERNAL)),
        ("clean remove", Row(UNKNOWN, destructive=True)),
        ("check config exec info list open platform show", Row(UNKNOWN)),
    ),
    "composer": (
        ("audit create-project global install outdated require search show update", Row(EXTERNAL)),
        ("remove", Row(UNKNOWN, destructive=True)),
        ("dump-autoload exec run run-script validate", Row(UNKNOWN)),
    ),
    "dotnet": (
        ("add list nuget restore tool workload", Row(EXTERNAL)),
        ("build clean new pack publish run test watch", Row(UNKNOWN)),
    ),
    "brew": (
        (
            "--cache --caskroom --cellar --prefix --repository commands config leaves list ls",
            Row(READ, "-1 -l -r -t --versions --formula --cask --full-name --pinned --installed-on-request --installed-as-dependency"),
        ),
        ("-v", Row(EXTERNAL, bare=READ)),
        ("autoremove cleanup remove rm uninstall untap zap", Row(UNKNOWN, destructive=True)),
        ("*", Row(EXTERNAL)),
    ),
    "apt": (
        (
            "depends list policy rdepends search show showsrc",
            Row(READ, "-a -q --installed --all-versions --manual-installed --names-only --full --upgradable --quiet"),
        ),
        ("autoclean autoremove clean purge remove", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL)),
    ),
    "apt-cache": (
        (
            "depends dotty madison pkgnames policy rdepends search show showpkg showsrc stats unmet",
            Row(
                READ,
                (
                    "-q -f -n -a -i -g --quiet --full --names-only --all-versions --installed --important --no-recommends --no-suggests "
                    "--no-conflicts --no-breaks --no-replaces --no-enhances --recurse"
                ),
            ),
        ),
        ("gencaches", Row(WRITE)),
    ),
    "apt-mark": (
        ("showauto showhold showinstall showmanual showremove", Row(READ)),
        ("auto hold manual unhold", Row(WRITE)),
    ),
    "apk": (
        ("info list policy version", Row(READ, "-v -e -a -d -q -L -r -R -W --installed --verbose --quiet --available --upgradable")),
        ("del", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL)),
    ),
    "snap": (
        ("connections list services version", Row(READ, "--all")),
        ("remove", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL)),
    ),
    "flatpak": (
        ("history list", Row(READ, "--app --runtime --columns: -d --show-details --user --system -a --all")),
        ("remove uninstall", Row(EXTERNAL, destructive=True)),
        ("*", Row(EXTERNAL)),
    ),
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
    "pyenv": (
        ("commands prefix root version version-name versions whence which", Row(READ, "--bare --skip-aliases --skip-envs")),
        ("install update", Row(EXTERNAL)),
        ("uninstall", Row(UNKNOWN, destructive=True)),
        ("exec global init local rehash shell", Row(UNKNOWN)),
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
    "ruff": (
        (
            "check",
            Row(
                WRITE,
                (
                    "-q -v -s -n -e --quiet --verbose --silent --select: --ignore: --extend-select: --output-format: --statistics --no-fix "
                    "--no-cache --exit-zero --show-files --show-settings"
                ),
                destroys="--fix --unsafe-fixes --fix-only --add-noqa -o --output-file -w --watch",
            ),
        ),
        ("format", Row(WRITE, "-q -v --quiet --verbose --no-cache", reads="--check --diff")),
        ("config linter rule version", Row(READ, "--output-format: --all")),
        ("clean", Row(WRITE, destructive=True)),
    ),
    "just": (
        (
            "*",
            Row(UNKNOWN, "--list-heading: --list-prefix: -f: --justfile: --unsorted -d: --working-directory:", reads="-l --list --summary"),
        ),
    ),
    "nft": (
        ("list", Row(READ)),
        ("add create insert", Row(WRITE)),
        ("delete destroy flush replace reset", Row(WRITE, destructive=True)),
    ),
    "pre-commit": (
        ("autoupdate install-hooks", Row(EXTERNAL)),
        ("clean gc uninstall", Row(UNKNOWN, destructive=True)),
        ("install run", Row(UNKNOWN)),
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
"""Programs whose first operand names what they do; `a|b` is sub-command b of sub-command a (B35)."""
SAME: Mapping[str, str] = {
    **dict.fromkeys(each("micromamba mamba"), "conda"),
    **dict.fromkeys(each("nerdctl podman"), "docker"),
    "oc": "kubectl",
    "pip3": "pip",
    "tofu": "terraform",
}
"""Programs that take the sub-commands of another one."""
BEFORE: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "git": (each("--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --icase-pathspecs"), each("-C -c")),
    "ip": (each("-4 -6 -br -brief -s -stats -d -details -o -oneline -j -json -p -pretty -c -color -a -all -N -t -ts"), frozenset()),
    "pip": (each("--disable-pip-version-check --no-color --no-input -q --quiet"), frozenset()),
    "systemctl": (each("--user --system --no-pager -q --quiet --no-legend --plain --full -l"), frozenset()),
    "tmux": (each("-u -2"), each("-L -S")),
}
"""Options that may stand before the sub-command and change nothing: without and with a value."""
SETTINGS = re.compile(
    r"(?:color\.[a-z.]+|core\.(?:quotepath|abbrev)|advice\.[a-z]+|user\.(?:name|email)|log\.date|init\.defaultbranch"
    r"|diff\.(?:renames|context|algorithm|noprefix))=.*|(?:core\.pager|pager\.[a-z]+)=(?:cat|false)?",
    re.IGNORECASE | re.DOTALL,
)
"""What `git -c` may set without making git run or reach anything."""
BARE = each("hostnamectl localectl loginctl systemctl systemd-analyze timedatectl")
"""Programs that show the state of things when they are told nothing."""
HELPS = each("docker gh helm kubectl")
"""Programs whose sub-commands print their help for `--help` alone, and start no pager for it."""
VERSIONS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(each("deno pip pip3 python python2 python3"), each("-V --version")),
    **dict.fromkeys(each("bun clang docker gcc git make node npm npx perl php tsc"), each("-v --version")),
    **dict.fromkeys(each("bash cmake curl dash dig fish gh helm kubectl mysql nc nmap pg_dump ping psql"), each("--version")),
    **dict.fromkeys(each("rclone redis-cli restic rsync ruby ruff socat uv wget zsh"), each("--version")),
    **dict.fromkeys(each("java javac"), each("-version --version")),
    "nginx": each("-v -V"),
    "ssh": each("-V"),
    "tmux": each("-V"),
}
"""Programs, and the options with which, alone, they print their version, loading nothing that a project brings: not `cargo`, `yarn` and
`pnpm`, which start what the project asks for, and not `pytest`."""
STILL = each(
    "CI CLICOLOR CLICOLOR_FORCE COLUMNS DEBIAN_FRONTEND FORCE_COLOR GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT LANG LC_ALL LC_COLLATE LC_CTYPE "
    "LC_MESSAGES LC_NUMERIC LC_TIME LINES LS_COLORS NO_COLOR PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUNBUFFERED PYTHONUTF8 TERM TZ"
)
"""Variables that change no more than how a program prints; any other may change what it runs."""
PAGERS = each("GIT_PAGER MANPAGER PAGER SYSTEMD_PAGER")
"""Variables that name a program to show text with; harmless where that is `cat` or none."""
DEAF = each("[ chgrp chmod chown cp date kill ln mkdir mv printf rm rmdir tee test touch truncate wc") | {""}
"""Programs that act on no variable but those that TELLING matches, beside those whose manual has nothing harmful; "" is the shell."""
TELLING = re.compile(
    r"(?:LD|DYLD|GLIBC|MALLOC|GCONV|BASH|HIST|GIT|SSH|PYTHON|PERL|RUBY|NODE|NPM|JAVA|LESS|MAIL|RIPGREP|XDG|LOC|NLS|RES|TM).*"
    r"|.*(?:PATH|OPTS?|OPTIONS?|FLAGS|PAGER|EDITOR|SHELL|HOME|PROXY|CONFIG|CONF|RC|COMMAND|CMD|PROGRAM|PRELOAD|OPEN|HOST|HOSTALIASES)"
    r"|S?RANDOM|SECONDS|LINENO|EPOCH.*|COMP_.*|DIRSTACK|[A-Z]*GREP|[A-Z]*DIFF|CMP|GZIP|XZ_.*"
    r"|.*_proxy|IFS|ENV|E?UID|PS[0-9]|PROMPT.*|VISUAL|BROWSER|.*IGNORE|FUNCNEST|POSIXLY_CORRECT|OPTIND|SHLVL|DISPLAY|USER|TERMCAP"
)
"""Variables that the shell, a library or many programs act on; a variable that matches this is never a mere value."""
NAMES_COMMIT = each("-C --abbrev-ref --short --verify --symbolic-full-name -q --quiet --fork-point --all -a")
"""Options with which `git rev-parse` and `git merge-base` print commits or branches; the first repeats any that it does not know."""
QUIET = each("/dev/null /dev/stdout /dev/stderr /dev/tty")
DELETING = each(
    "delete deregister down empty rb rm rmi remove destroy prune purge kill drop uninstall terminate autoremove forget unpublish yank"
)
"""What programs with sub-commands call it when they delete at the other system, as an operand or before its first hyphen."""
ERASING = re.compile(r"\b(?:drop\s+\w+|truncate\s|delete\s+from|flush(?:all|db)|update\s+\S+\s+set)\b", re.IGNORECASE)
"""What a query does that deletes or overwrites."""
STRATEGIES = each("ort recursive resolve octopus ours subtree")
"""What `git merge -s` knows by itself; for any other name it runs `git-merge-NAME`."""
FOLDERS = each("/bin /usr/bin /sbin /usr/sbin")
"""Where a program named by its path is the one of that name."""


OUTPUTS = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document"), "wget2": ("-O", "--output-document")}
"""Options that save to a file, which may be the screen or nothing at all."""


class Wrapper(NamedTuple):
    """A program that runs the command in its arguments; an option that is not listed, a shortened one too, makes it unknown."""

    plain: str = ""
    valued: str = ""
    """Options that take a value: the next word, or joined to them."""
    before: str = ""
    """What the word before the command looks like, if there must be one."""
    own: Class = READ
    joined: str = ""
    """Options that take a value only in the same word, if any; the next word is the command."""


WRAPPERS: Mapping[str, Wrapper] = {
    "builtin": Wrapper(),
    "caffeinate": Wrapper("-d -i -m -s -u", "-t -w"),
    "chroot": Wrapper("", "--userspec --groups", before=r"[^-].*", own=UNKNOWN),
    "command": Wrapper("-p"),
    "doas": Wrapper("-n", "-u"),
    "entr": Wrapper("-a -c -d -n -p -r -s -z", own=UNKNOWN),
    "env": Wrapper("-i - -0 -v --ignore-environment --null --debug", "-u --unset -C --chdir"),
    "exec": Wrapper("-c -l", "-a"),
    "flock": Wrapper(
        "-n -x -e -s -u -o -F -v --nonblock --exclusive --shared --close --no-fork --verbose",
        "-w -E --timeout --wait --conflict-exit-code",
        before=r"[^-].*",
        own=WRITE,
    ),
    "ionice": Wrapper("-t", "-c -n --class --classdata"),
    "nice": Wrapper("", "-n --adjustment"),
    "nohup": Wrapper(own=WRITE),
    "parallel": Wrapper(
        "-k -0 -X -m --bar --keep-order --halt-on-error --null --will-cite", "-j -I -a -n -N -L --jobs --colsep", own=UNKNOWN
    ),
    "setsid": Wrapper("-w -f -c --wait --fork --ctty"),
    "stdbuf": Wrapper("", "-o -e -i --output --error --input"),
    "sudo": Wrapper("-n -E -H -S", "-u -g"),
    "taskset": Wrapper("-a -c --all-tasks --cpu-list", before=r"[0-9a-fA-Fx,-]+"),
    "time": Wrapper("-p -v -l --portability --verbose", "-f --format"),
    "timeout": Wrapper("--preserve-status --foreground -v --verbose", "-k --kill-after -s --signal", before=r"[0-9.]+[smhd]?"),
    "unbuffer": Wrapper("-p"),
    "xargs": Wrapper(
        "-0 -r -t -x --null --no-run-if-empty --verbose",
        "-n -P -L -I -d -s -a -E --max-args --max-procs --max-chars --delimiter --arg-file",
        joined="-l -e -i --max-lines --eof --replace",
    ),
}


FIND = Row(
    READ,
    "-name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -lname: -ilname: -type: -xtype: -fstype: -size: "
    "-mtime: -atime: -ctime: -mmin: -amin: -cmin: -newer: -anewer: -cnewer: -newermt: -newerct: -newerat: -used: -maxdepth: -mindepth: "
    "-perm: -user: -group: -uid: -gid: -links: -inum: -samefile: -printf: -depth -print -print0 -ls -prune -quit -o -a -or -and -not "
    "-empty -executable -readable -writable -nouser -nogroup -true -false -follow -xdev -mount -daystart -noleaf -ignore_readdir_race "
    "-warn -nowarn -L -H -P -E -x -s -O1 -O2 -O3",
    destroys="-delete -fprint -fprint0 -fprintf -fls",
)
"""`find`, whose tests and actions are words of their own and count wherever they stand."""


RSYNC = (
    "-a -v -r -l -p -t -g -o -D -z -h -P -q -n -u -x -H -A -X -S -W -c -i -R -m --archive --verbose --recursive --links --perms --times "
    "--group --owner --compress --human-readable --progress --partial --quiet --dry-run --update --one-file-system --hard-links "
    "--checksum --stats --itemize-changes --relative --prune-empty-dirs --ignore-existing --exclude: --include: --max-size: --min-size: "
    "--bwlimit: --size-only --whole-file"
)
"""Options of `rsync` that neither write anywhere else nor take `--ignore-existing` back."""


TOOLS: Mapping[str, Class] = {
    **dict.fromkeys(
        each(
            "browser_get_images browser_snapshot clarify kanban_attachments kanban_list kanban_show read_file read_terminal "
            "read_window_below search_files session_search skill_view skills_list tool_describe tool_search web_extract web_search"
        ),
        READ,
    ),
    **dict.fromkeys(
        each(
            "annotate_preview close_terminal desktop_project focus_pane gui_tour memory patch set_theme "
            "setup_beat show_tip todo_list write_file"
        ),
        WRITE,
    ),
    **dict.fromkeys(
        each(
            "browser_back browser_cdp browser_click browser_console browser_dialog browser_navigate "
            "browser_press browser_scroll browser_type "
            "browser_vault browser_vision desktop_preview discord discord_admin drive_preview feishu_doc_read feishu_drive_add_comment "
            "feishu_drive_list_comment_replies feishu_drive_list_comments feishu_drive_reply_comment image_generate kanban_attach "
            "kanban_attach_url kanban_block kanban_comment kanban_complete kanban_create kanban_heartbeat kanban_link "
            "kanban_request_changes kanban_request_review kanban_schedule kanban_unblock manage_catalog manage_connections "
            "mqtt_device_command mqtt_publish mqtt_subscribe_recent react_to_message send_message "
            "text_to_speech video_analyze video_generate "
            "vision_analyze x_search xai_video_edit xai_video_extend yb_query_group_info yb_query_group_members yb_search_sticker "
            "yb_send_dm yb_send_sticker"
        ),
        EXTERNAL,
    ),
    **dict.fromkeys(
        each("browser_exec computer_use cronjob_manage delegate_task execute_code process_manage skill_manage terminal tool_call"), UNKNOWN
    ),
}
"""Built-in tools by name. Where a tool both looks and acts, the graver class; `terminal` has its class only without a command."""
