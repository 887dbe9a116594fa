"""What each program does by its sub-commands and options, as data; it judges nothing and runs nothing.

A module of its own, because the table is for people to read and to mend: effects.py, which judges commands by it, names no program that
is not looked at closer. A row says what a program with only listed options does; what is not listed is unknown. Here the tables of all
kinds of programs are joined, and what holds for single programs beside them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from . import installers, machine, makers, readers, revisions, services
from .model import Class
from .table import EXTERNAL, READ, UNKNOWN, WRITE, Row, Table, each

PROGRAMS: Table = (*readers.PROGRAMS, *machine.PROGRAMS, *makers.PROGRAMS)
"""Programs that are judged as a whole (B20: a flag may turn a reader into something else)."""
SUBCOMMANDS: Mapping[str, Table] = {**revisions.SUBCOMMANDS, **installers.SUBCOMMANDS, **services.SUBCOMMANDS}
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
    r"|.*_proxy|IFS|E?UID|PS[0-9]|PROMPT.*|VISUAL|BROWSER|.*IGNORE|FUNCNEST|POSIXLY_CORRECT|OPTIND|SHLVL|DISPLAY|USER|TERMCAP|ENV"
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
