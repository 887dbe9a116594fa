"""What each program does by its sub-commands and options, as data; it judges nothing and runs nothing.

A module of its own, because the table is for people to read and to mend: effects.py, which judges commands by it, names no program that
is not looked at closer. A row says what a program with only listed options does; what is not listed is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .model import Class

READ, WRITE, EXTERNAL, UNKNOWN = Class.READ, Class.WRITE, Class.EXTERNAL, Class.UNKNOWN


def each(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Row(NamedTuple):
    """How a program or a sub-command is judged: its class, and the options that make it another one.

    A read, and what only shows, must have no option but those of `plain` and `reads`; there `:` stands after an option that takes a
    value, `?` after one that takes a value only in the same word."""

    kind: Class
    plain: str = ""
    """Harmless options; with `*` its manual has no option that writes, runs or reaches anything."""
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


Table = tuple[tuple[str, Row], ...]

READERS = (
    "ls cat head tail wc grep egrep fgrep pwd whoami id uname echo true false : basename dirname realpath readlink stat du df free uptime "
    "ps pgrep printenv which type cut tr nl tac rev fold paste join comm cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum "
    "cksum sum od hexdump strings column expand seq cal nproc lsblk lscpu cd jq sleep groups tty arch getconf expr vmstat size who w users "
    "factor numfmt fmt locale exit"
)
REACHING = (
    "ssh ftp lftp nc ncat netcat socat telnet ping ping6 traceroute tracepath mtr dig nslookup host whois "
    "gh glab hub kubectl oc helm docker-compose aws gcloud gsutil az doctl heroku flyctl vercel "
    "netlify wrangler firebase terraform tofu pulumi ansible ansible-playbook ansible-galaxy vault consul nomad pg_restore "
    "mysqladmin mongosh mongo redis-cli cqlsh mail mailx sendmail mutt msmtp twine rclone s3cmd restic borg apt "
    "apt-get aptitude brew dnf yum zypper apk pacman snap flatpak npx uvx pipx bunx hf huggingface-cli ollama"
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
    ("docker podman nerdctl", Row(EXTERNAL, destroys="-o --output")),
    ("psql mysql", Row(EXTERNAL, destroys="-o --output -L --log-file --tee")),
    ("pg_dump mysqldump mongodump", Row(EXTERNAL, destroys="-f --file -r --result-file -o --out -T --tab --archive --log-error")),
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
_TREE = (
    "-a -d -f -i -L: -I: -P: -h -s -D -p -u -g -C -n -F -x -l -J -X -q -N -t -r -v -c -U --noreport --dirsfirst --du --si --prune "
    "--gitignore --filelimit: --charset: --matchdirs --ignore-case --sort: --inodes --device --timefmt: --fromfile"
)
_JOURNAL = (
    "-u: -n: -f -e -x -b -k -p: -o: -r -a -q -g: -t: -S: -U: -N --since: --until: --unit: --no-pager --lines: --boot --dmesg --output: "
    "--reverse --all --priority: --grep: --identifier: --list-boots --disk-usage --utc --no-hostname --no-tail --follow --catalog "
    "--pager-end --user --system --user-unit: --quiet --no-full --full -l"
)
_DMESG = (
    "-T -H -k -l: -L -t -w -x -u -P -f: -e -r -d -J --ctime --human --kernel --level: --facility: --color --follow --reltime --raw "
    "--nopager --since: --until: --userspace --decode --notime --json"
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
PROGRAMS: Table = (
    (READERS, Row(READ, "*")),
    ("diff", Row(READ, _DIFF, asks="-l --paginate")),
    ("sort", Row(READ, _SORT, asks="--compress-program", destroys="-o --output", writes="-T --temporary-directory")),
    (
        "shuf",
        Row(
            READ,
            "-n: -e -i: -z -r --head-count: --echo --input-range: --zero-terminated --repeat --random-source:",
            destroys="-o --output",
        ),
    ),
    ("iconv", Row(READ, "-f: -t: -c -s -l --from-code: --to-code: --list --silent", destroys="-o --output")),
    ("base64 base32", Row(READ, "-d -D -w: -i --decode --wrap: --ignore-garbage", destroys="-o --output")),
    ("rg", Row(READ, _RG, asks="--pre --pre-glob --hostname-bin -z --search-zip")),
    ("fd fdfind", Row(READ, _FD, asks="-x --exec -X --exec-batch -l --list-details")),
    (
        "file",
        Row(
            READ,
            "-b -i -I -L -h -k -N -r -0 -F: -f: --brief --mime --mime-type --mime-encoding --dereference --no-dereference --separator: "
            "--extension --keep-going",
            asks="-z -Z --uncompress",
            destroys="-C --compile",
        ),
    ),
    ("tree", Row(READ, _TREE, destroys="-o -R")),
    (
        "yq",
        Row(
            READ,
            "-r -c -e -o: -p: -P -n -N -M -C -j -y -I: --raw-output --output-format: --input-format: --prettyPrint --no-doc --no-colors "
            "--colors --exit-status --unwrapScalar --indent: --null-input",
            asks="--split-exp-file",
            destroys="-s --split-exp",
            writes="-i --inplace --in-place",
        ),
    ),
    (
        "uniq",
        Row(
            READ,
            "-c -d -D -u -i -z -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars: "
            "--all-repeated --group --zero-terminated",
            most=1,
            destructive=True,
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
        "hostname",
        Row(
            READ,
            "-f -s -i -I -d -A -y --fqdn --long --short --ip-address --all-ip-addresses --domain --all-fqdns",
            writes="-F --file -b --boot",
            most=0,
        ),
    ),
    ("dmesg", Row(READ, _DMESG, destroys="-c -C --clear --read-clear", writes="-D -E -n --console-off --console-on --console-level")),
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
    ("lsof", Row(READ, "-i? -p: -u: -c: -t -n -P -a -l -R -U -w -b -s? -d: +D +d")),
    ("readelf", Row(READ, "-a -h -l -S -s -d -n -r -e -W -V -A -t -x: -p: --all --headers --symbols --dynamic --wide --notes --relocs")),
    ("zcat bzcat xzcat", Row(READ, "-f -q -v -k -T? --quiet --verbose --force")),
    ("zstdcat", Row(READ, "-q -v -T?", destroys="-o --rm -f --force --output-dir-flat --output-dir-mirror")),
    ("mkdir touch chmod chown chgrp mkfifo", Row(WRITE)),
    ("cp mv", Row(WRITE, _COPY, destructive=True, spares="-n --no-clobber")),
    ("ln", Row(WRITE, destroys="-f --force -b --backup -S --suffix -i --interactive")),
    ("install", Row(WRITE, _INSTALL, asks="-s --strip --strip-program", destructive=True, spares="-d --directory")),
    ("split", Row(WRITE, asks="--filter", destructive=True)),
    ("csplit", Row(WRITE, destructive=True)),
    ("mktemp", Row(WRITE, "-d -q -t -p: --directory --quiet --tmpdir --suffix:", reads="-u --dry-run")),
    ("zip", Row(WRITE, asks=_ZIP_ASKS, destroys=_ZIP_DESTROYS)),
    ("unzip", Row(WRITE, "-q -P: -1 -C", destroys="-o", reads="-l -t -v -Z -z -p")),
    ("patch", Row(WRITE, _PATCH, asks="-e --ed -g --get", destroys="-o --output -r --reject-file -B -Y -z -V", reads="--dry-run")),
    ("crontab", Row(WRITE, "-u:", asks="-e", destroys="-r -i", reads="-l", destructive=True)),
    ("rm rmdir unlink shred truncate", Row(WRITE, destructive=True)),
    ("pkill killall", Row(WRITE, destructive=True)),
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
_ELSEWHERE = "-H --host -M --machine"
SUBCOMMANDS: Mapping[str, Table] = {
    "git": (
        ("status rev-parse ls-files ls-tree describe merge-base name-rev show-ref", Row(READ, "*")),
        ("count-objects cherry check-ignore check-attr version var", Row(READ, "*")),
        ("for-each-ref", Row(READ, _GIT_PICKS + "--count: --contains --no-contains --merged --no-merged --points-at: --shell --exclude:")),
        ("log diff show whatchanged diff-tree diff-index diff-files range-diff rev-list", _GIT_SHOWS),
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
                destroys="--build-fake-ancestor",
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
        ("remote|add remote|rename remote|set-url remote|set-head remote|set-branches", Row(WRITE)),
        ("remote|remove remote|rm", Row(WRITE, destructive=True)),
        ("remote|show remote|update remote|prune", Row(EXTERNAL)),
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
        ("config|set config|unset config|rename-section config|remove-section config|edit", Row(UNKNOWN)),
        ("stash", Row(UNKNOWN, bare=WRITE)),
        ("stash|list stash|show", _GIT_SHOWS),
        ("stash|push stash|save stash|pop stash|apply stash|branch stash|create stash|store", Row(WRITE)),
        ("stash|drop stash|clear", Row(WRITE, destructive=True)),
        ("reflog", Row(UNKNOWN, _GIT_LOG, destroys="--output", bare=READ)),
        ("reflog|show reflog|list reflog|exists", _GIT_SHOWS),
        ("reflog|expire reflog|delete reflog|drop", Row(WRITE, destructive=True)),
        ("worktree", Row(UNKNOWN)),
        ("worktree|list", Row(READ, "-v -z --verbose --porcelain")),
        ("worktree|add worktree|lock worktree|unlock worktree|move worktree|repair", Row(WRITE, destroys="-f --force -B")),
        ("worktree|remove worktree|prune", Row(WRITE, destructive=True)),
        ("notes", Row(UNKNOWN, bare=READ)),
        ("notes|list notes|show", Row(READ)),
        ("bisect", Row(UNKNOWN)),
        ("bisect|log", Row(READ)),
        ("bisect|start bisect|good bisect|bad bisect|new bisect|old bisect|skip bisect|reset", Row(WRITE)),
        ("submodule", Row(UNKNOWN, bare=READ)),
        ("submodule|status submodule|summary", Row(READ, "-q --quiet --cached --recursive")),
        ("submodule|init", Row(WRITE)),
        ("submodule|add submodule|update submodule|sync", Row(EXTERNAL, destroys="-f --force")),
        ("add commit am mv", Row(WRITE, asks="-i --interactive -e --edit", destroys="-f --force --abort --skip")),
        ("merge cherry-pick revert", Row(WRITE, asks="-e --edit", destroys="--abort --skip")),
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
        ("bundle|verify bundle|list-heads", Row(READ, "-q --quiet")),
        ("bundle|unbundle", Row(WRITE)),
        ("rebase", Row(WRITE, asks="-i --interactive -x --exec --edit-todo", destroys="--abort --skip")),
        ("switch", Row(WRITE, destroys="-f --force --discard-changes -C --force-create")),
        ("checkout", Row(WRITE, destroys="-f --force -B -p --patch --ours --theirs --pathspec-from-file")),
        ("reset", Row(WRITE, destroys="--hard --merge --keep")),
        ("clean", Row(WRITE, "-d -x -X -q -e: --quiet --exclude:", asks="-i --interactive", reads="-n --dry-run", destructive=True)),
        ("rm restore gc prune update-ref filter-repo", Row(WRITE, destructive=True)),
        ("push", Row(EXTERNAL, destroys="-f --force --force-with-lease --force-if-includes -d --delete --mirror --prune")),
        ("pull fetch", Row(EXTERNAL, destroys="-f --force")),
        ("clone ls-remote lfs send-email svn p4 request-pull", Row(EXTERNAL)),
    ),
    "systemctl": (
        ("status show cat list-units list-unit-files list-timers list-dependencies", Row(READ, _UNITS, asks=_ELSEWHERE)),
        ("is-active is-enabled is-failed get-default", Row(READ, _UNITS, asks=_ELSEWHERE)),
        ("start stop restart reload enable disable mask unmask daemon-reload", Row(WRITE, asks=_ELSEWHERE + " --root --image")),
        ("poweroff reboot halt isolate kill suspend hibernate", Row(WRITE, destructive=True)),
    ),
    "pip": (
        ("freeze show check", Row(READ, "-l -f -v -q --local --user --all --exclude: --files --verbose --quiet")),
        (
            "list",
            Row(
                READ,
                "-e -l -v -q --editable --local --user --format: --not-required --exclude-editable --exclude: --pre --verbose --quiet",
                asks="-o --outdated -u --uptodate",
            ),
        ),
        ("install download wheel index search", Row(EXTERNAL, destroys="--report --log --force-reinstall -t --target")),
        ("uninstall", Row(WRITE, asks="--python --log", destructive=True)),
    ),
    "npm": (
        (
            "ls list ll root prefix",
            Row(READ, "-g -a -l -p --global --all --long --parseable --json --depth: --prod --production --omit: --dev"),
        ),
        ("ci install i add update up publish unpublish view info show search outdated audit login logout whoami", Row(EXTERNAL)),
    ),
    "pnpm": (("install add update publish remove outdated audit", Row(EXTERNAL)),),
    "yarn": (("install add upgrade publish remove outdated audit", Row(EXTERNAL)),),
    "cargo": (("search install publish login logout owner yank fetch update add", Row(EXTERNAL)),),
    "gem": (
        ("install push search update fetch", Row(EXTERNAL)),
        ("list", Row(READ, "-l -d -q --local --details --quiet", asks="-r --remote -a --all")),
    ),
    "go": (("version", Row(READ, "-m -v")), ("env", Row(READ, "-json -changed", asks="-w -u")), ("get install", Row(EXTERNAL))),
    "uv": (("add sync publish", Row(EXTERNAL)),),
    "poetry": (("install add update publish", Row(EXTERNAL)),),
    "openssl": (("version", Row(READ, "-a -v")), ("s_client s_server s_time ocsp", Row(EXTERNAL))),
}
"""Programs whose first operand names what they do; `a|b` is sub-command b of sub-command a (B35)."""
SAME = {"pip3": "pip"}
BEFORE: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "git": (each("--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --icase-pathspecs"), each("-C")),
    "systemctl": (each("--user --no-pager -q --quiet"), frozenset()),
}
"""Options that may stand before the sub-command and change nothing: without and with a value."""
VERSIONS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(each("python python3 pip pip3 rustc cargo deno"), each("-V --version")),
    **dict.fromkeys(each("perl php gcc clang node npm npx pnpm bun tsc docker terraform git make"), each("-v --version")),
    **dict.fromkeys(each("ruby cmake yarn kubectl helm curl wget gh java uv ruff pytest go"), each("--version")),
}
"""Programs, and the options with which, alone, they print their version."""
STILL = each("LANG LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME LC_MESSAGES TZ COLUMNS LINES NO_COLOR CLICOLOR FORCE_COLOR")
"""Variables that change no more than how a program prints; any other may change what it runs."""
NAMES_COMMIT = each("-C --abbrev-ref --short --verify --symbolic-full-name -q --quiet --fork-point --all -a")
"""Options with which `git rev-parse` and `git merge-base` print commits or branches; the first repeats any that it does not know."""
QUIET = each("/dev/null /dev/stdout /dev/stderr /dev/tty")
DELETING = each("delete down rm rmi remove destroy prune purge kill drop uninstall terminate autoremove forget unpublish yank")
"""What programs with sub-commands call it when they delete at the other system, as an operand."""
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
    "command": Wrapper("-p"),
    "nice": Wrapper("", "-n --adjustment"),
    "nohup": Wrapper(own=WRITE),
    "stdbuf": Wrapper("", "-o -e -i --output --error --input"),
    "sudo": Wrapper("-n -E -H -S", "-u -g"),
    "timeout": Wrapper("--preserve-status --foreground -v --verbose", "-k --kill-after -s --signal", before=r"[0-9.]+[smhd]?"),
    "xargs": Wrapper(
        "-0 -r -t -x --null --no-run-if-empty --verbose",
        "-n -P -L -I -d -s -a -E --max-args --max-procs --max-chars --delimiter --arg-file",
        joined="-l -e -i --max-lines --eof --replace",
    ),
    "env": Wrapper(),
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
