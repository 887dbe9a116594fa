"""What the sub-commands of programs do that install, build and check packages, as tables; it judges nothing and runs nothing.

A module of its own, because most of these run code of the project they are called in, and every language brings one more."""

from __future__ import annotations

from collections.abc import Mapping

from .table import EXTERNAL, READ, UNKNOWN, WRITE, Row, Table

_ENV = "env"
"""Of conda; in a name of its own, because the host's scanner takes the word before a bar for a dump of all variables."""

SUBCOMMANDS: Mapping[str, Table] = {
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
        (f"config {_ENV}|list", Row(UNKNOWN)),
        (f"create {_ENV}|create {_ENV}|update install search update upgrade", Row(EXTERNAL)),
        (f"clean {_ENV}|remove remove uninstall", Row(UNKNOWN, destructive=True)),
        (f"activate deactivate {_ENV}|export init run", Row(UNKNOWN)),
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
    "pyenv": (
        ("commands prefix root version version-name versions whence which", Row(READ, "--bare --skip-aliases --skip-envs")),
        ("install update", Row(EXTERNAL)),
        ("uninstall", Row(UNKNOWN, destructive=True)),
        ("exec global init local rehash shell", Row(UNKNOWN)),
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
    "pre-commit": (
        ("autoupdate install-hooks", Row(EXTERNAL)),
        ("clean gc uninstall", Row(UNKNOWN, destructive=True)),
        ("install run", Row(UNKNOWN)),
    ),
}
