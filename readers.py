"""What programs do that look at files and text, as a table; it judges nothing and runs nothing.

A module of its own, because it is the longest of the tables, and its lines are read against the same manuals."""

from __future__ import annotations

from .table import READ, UNKNOWN, Row, Table

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
)
