"""What the sub-commands of programs do that keep revisions of files, as tables; it judges nothing and runs nothing.

A module of its own, because `git` alone has more sub-commands and options than any other kind of program."""

from __future__ import annotations

from collections.abc import Mapping

from .table import EXTERNAL, READ, UNKNOWN, WRITE, Row, Table

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
}
