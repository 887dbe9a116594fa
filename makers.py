"""What programs do that change files, run code or reach other systems, as a table; it judges nothing and runs nothing.

A module of its own, because here a line too many lets something happen, where with those that only look it shows too much."""

from __future__ import annotations

from .table import EXTERNAL, READ, UNKNOWN, WRITE, Row, Table

_FILE_SYSTEMS = "dosfs e2fs fs fs.btrfs fs.exfat fs.ext2 fs.ext3 fs.ext4 fs.f2fs fs.fat fs.minix fs.ntfs fs.vfat fs.xfs".split()
"""What is made anew on a device, which is emptied by it; the programs are called `mk` and this."""
REACHING = (
    "ab aliyun amplify amqp-publish ansible ansible-galaxy ansible-playbook ansible-vault apt-get aptitude argocd arping autossh az b2 "
    "bazelisk bcp borg bq buildah bunx bw cdk certbot cf chef choco clickhouse-client consul cosign cqlsh crane dig dnf "
    "dnf5 doctl eksctl elinks emerge etcdctl exo fetchmail finger firebase flux fly flyctl ftp gcloud gdown getmail grpcurl grype "
    "gsutil guix hcloud heroku hey hf himalaya host httpstat hub huggingface-cli ibmcloud influx iperf iperf3 istioctl jira k3d k6 k9s "
    "kaggle kaniko kcat kind knife kustomize lftp links linode-cli locust lynx mail mailx mc microdnf minikube mongo mongosh mosh "
    "mosquitto_pub mosquitto_sub msmtp mtr mutt mysqladmin nats nc ncat neomutt netcat netlify nix nix-env nomad npx nslookup oci "
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
    (" ".join(f"mk{kind}" for kind in _FILE_SYSTEMS), Row(WRITE, destructive=True)),
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
            ". bind complete compopt coproc declare enable eval export getopts let readonly "
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
