"""What programs do that look at the machine, its processes, users and packages, as a table; it judges nothing and runs nothing.

A module of its own, because these differ from one system to the next, where those that read files hardly do."""

from __future__ import annotations

from .table import READ, UNKNOWN, WRITE, Row, Table

_JOURNAL = (
    "-u: -n: -f -e -x -b -k -p: -o: -r -a -q -g: -t: -S: -U: -N --since: --until: --unit: --no-pager --lines: --boot --dmesg --output: "
    "--reverse --all --priority: --grep: --identifier: --list-boots --disk-usage --utc --no-hostname --no-tail --follow --catalog "
    "--pager-end --user --system --user-unit: --quiet --no-full --full -l"
)
PROGRAMS: Table = (
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
)
