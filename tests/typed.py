"""Commands of the kinds that agents type, each with the class a careful person would give it and the reason; test_typed.py asks for them.

A reading command may be called something graver only where the reason says what stands against it; `read?` marks those.
"""

READS = """
ls -la src/ tests/ | listing
ls -lt | head -20 | newest files first
ls -1 *.md 2>/dev/null | wc -l | counts
cat package.json | a file
cat -n src/app.py | sed -n '40,80p' | a piece of a file
head -c 400 data.csv | the first bytes
tail -n +2 data.csv | cut -d, -f3 | sort | uniq -c | sort -rn | head | a column, counted
wc -l $(git ls-files '*.py') | any word git prints is a name; wc has no harmful option
grep -rn "def main" --include='*.py' . | search
grep -c '' README.md | counts lines
grep -E '^(FAIL|ERROR)' build.log | tail -5 | search
rg -n "TODO|FIXME" -g '!vendor' --stats | search
rg --files -g '*.ts' | head -50 | names
rg -l useState src | xargs wc -l | names, counted
find . -name '*.log' -size +10M -mtime -7 -print | search
find . -type d -name node_modules -prune -o -type f -name '*.ts' -print | search
find . -maxdepth 2 -type f | sort | head | search
find src -name '*.py' -exec grep -l asyncio {} + | search inside
fd -e md -d 2 | search
tree -L 2 -I 'node_modules|.git' | a picture
du -sh * | sort -h | tail -5 | sizes
du -h --max-depth=1 . | sizes
df -h / | space
stat -c '%s %y' app.db | one file
file build/app | kind of file
md5sum dist/*.whl | sums
sha256sum -c SHA256SUMS | checks sums
diff -u a.conf b.conf | differences
diff -rq old new | differences
cmp a.bin b.bin | differences
comm -12 a.txt b.txt | lines in both
jq -r '.scripts | keys[]' package.json | JSON
jq '.dependencies | length' package.json | JSON
cat r.json | jq -c '.items[] | {id, name}' | JSON
yq '.services.web.image' compose.yaml | YAML
awk -F, '{s+=$3} END {print s}' sales.csv | a sum
awk 'NR==10,NR==20' f.txt | lines
sed -n '/BEGIN/,/END/p' f.pem | lines
sed -n '5,10p;11q' f | lines, then it stops
sed 's/^[ ]*//' f | head | shown, not changed
sort -t: -k3 -n /etc/passwd | sorted
column -t -s, data.csv | a table
tr -d '\\r' < dos.txt | wc -c | counts
xxd -l 64 image.png | bytes
strings -n 8 core | head | text in a file
nl -ba script.sh | numbered
git status --porcelain | state of the tree
git status -sb | state of the tree
git diff --stat origin/main...HEAD | differences
git diff HEAD~2 -- src/app.py | differences
git --no-pager diff --cached | differences
git log --oneline -n 10 | history
git log --since='2 weeks ago' --author=ana --pretty=format:'%h %an %s' | history
git log -p -S'parse_config' -- src | history
git log --graph --oneline --all | head -30 | history
git show HEAD:src/app.py | head -50 | a file at a commit
git show --stat HEAD~1 | a commit
git blame -L 10,30 src/app.py | who wrote a line
git branch -a | branches
git branch --show-current | the branch
git remote -v | remotes
git rev-parse HEAD | a commit
git rev-parse --show-toplevel | a folder
git ls-files --others --exclude-standard | untracked files
git stash list | stashes
git tag --sort=-v:refname | head -3 | tags
git describe --tags --always --dirty | a name
git config --get remote.origin.url | one setting
git config --list --show-origin | settings
git shortlog -sne HEAD | authors
git rev-list --count HEAD | counts
git merge-base main HEAD | a commit
git -c color.ui=never status --short | a harmless setting
git -c core.pager=cat log -1 | a pager that only shows
GIT_PAGER=cat git log -3 | a pager that only shows
git worktree list | work trees
git submodule status | sub-modules
git grep -n 'class Foo' | search
git check-ignore -v dist/app.js | why ignored
git cat-file -p HEAD | an object
ps aux | grep -v grep | grep node | processes
ps -eo pid,ppid,%cpu,%mem,comm --sort=-%cpu | head | processes
pgrep -fa python | processes
top -b -n 1 | head -15 | processes, once
lsof -i :3000 | who listens
lsof -nP -iTCP -sTCP:LISTEN | who listens
ss -tlnp | who listens
ss -s | counts
netstat -tulpn | who listens
ip addr show | addresses
ip -br a | addresses
ip route | routes
ifconfig | addresses
hostname -I | addresses
free -m | memory
uptime | load
uname -a | the machine
nproc | processors
lscpu | grep 'Model name' | the machine
lsblk -f | disks
cat /etc/os-release | the machine
cat /proc/meminfo | head -3 | memory
whoami && id | the user
env | sort | the environment
printenv HOME | one variable
echo $PATH | tr ':' '\\n' | one variable
echo "exit: $?" | prints
which python3 node npm | where programs are
command -v docker >/dev/null && echo yes | whether a program is there
type -a python | where a program is
node --version && npm --version | versions
python3 --version; pip --version | versions
docker --version | version
systemctl status nginx --no-pager -l | a unit
systemctl is-active postgresql | a unit
systemctl list-units --type=service --state=failed | units
journalctl -u app -n 100 --no-pager | the log
journalctl --since '1 hour ago' -p err --no-pager | the log
dmesg -T | tail -20 | the kernel's log
docker ps -a | containers
docker ps --format '{{.Names}} {{.Status}}' | containers
docker images | images
docker logs --tail 50 web | the log of a container
docker inspect -f '{{.State.Status}}' web | one container
docker compose ps | containers of a project
docker compose logs --tail=20 web | the log of a container
docker volume ls | volumes
docker system df | space
pip list | packages
pip show requests | one package
pip freeze | grep -i django | packages
npm ls --depth=0 | packages
npm config get registry | one setting
npm root -g | a folder
kubectl config current-context | which cluster
kubectl config get-contexts | which clusters
helm repo list | where charts come from
dpkg -l | grep nginx | packages
dpkg -S /usr/bin/env | who brings a file
apt list --installed | packages
apt-cache policy nginx | versions
rpm -qa | packages
brew list --versions | packages
crontab -l | jobs
tmux ls | sessions
tmux capture-pane -p -t main | what a pane shows
tar -tzf backup.tgz | head | names in an archive
unzip -l app.zip | names in an archive
zcat app.log.gz | grep ERROR | search
gzip -l big.gz | sizes
openssl x509 -in cert.pem -noout -dates -subject | a certificate
openssl rand -hex 16 | chance
ssh-keygen -lf ~/.ssh/id_ed25519.pub | a fingerprint
date '+%Y-%m-%d %H:%M' | the time
date -d '2 days ago' +%F | a day
cal 3 2026 | a month
bash -n deploy.sh | syntax
node --check server.js | syntax
php -l index.php | syntax
shellcheck -x deploy.sh | a linter that only reads
gofmt -l . | names of files
ffprobe -v error -show_entries format=duration -of csv=p=0 in.mp4 | a duration
pdfinfo report.pdf | a document
pdftotext report.pdf - | head -40 | a document as text
sqlite3 -readonly app.db '.tables' | tables
sqlite3 -readonly app.db 'SELECT count(*) FROM users' | a query
bash -lc 'cd src && ls' | a script that only reads
sh -c 'wc -l *.py' | a script that only reads
timeout 10 tail -f app.log | it ends
sudo journalctl -u nginx -n 20 | the log
env LC_ALL=C sort names.txt | a harmless variable
TZ=UTC date | a harmless variable
find . -name '*.json' -print0 | xargs -0 -n1 basename | names
cd /srv/app && git status -s | state of a tree
FILE=notes.txt; wc -l "$FILE" | a variable of the script
[ -d node_modules ] && echo installed || echo missing | a test
test -f .env && grep -c = .env | a test
sleep 2; curl --version | nothing is asked of anybody
seq 1 5 | paste -sd+ | bc | a sum
basename "$(pwd)" | a name
history | tail -20 | what was typed
ulimit -n | a limit
ulimit -Sn | a limit
SECONDS=0; ls; echo $SECONDS | a clock of the script
find . -exec grep -l + {} + | a plus that is an argument
git grep signature | a word
jaq -r .name a.json | one field
man -k partition | names of manuals
gh --version | version
terraform fmt -check -recursive | names of files
xmllint --noout pom.xml | syntax
cat *.csv | head -1 | the first line
less_is_no_read=1; cat a.txt | a variable of the script
cd /repo && git log --oneline -10 --graph --decorate --all | head -40 | the history
git diff HEAD~3..HEAD --stat -- src/ | the history
git log --since="2 weeks ago" --author="Dana" --pretty=format:"%h %an %s" -- src/ | the history
git show HEAD:src/app.py | sed -n '1,40p' | the history
git blame -L 10,20 -- src/app.py | the history
git branch -a --contains abc123 | the history
git tag --sort=-creatordate | head -5 | the history
git rev-parse --abbrev-ref HEAD | the history
git ls-tree -r HEAD --name-only | grep test | the history
git config --get user.email | the history
git shortlog -sn --no-merges HEAD | the history
git cat-file -p HEAD^{tree} | the history
git log -1 --format=%cd --date=iso | the history
git for-each-ref --sort=-committerdate refs/heads --format='%(refname:short) %(committerdate:relative)' | the history
git log --merges --first-parent main..HEAD | the history
find . -type f -newermt '2024-01-01' -printf '%T@ %p\\n' | sort -n | tail -5 | search
find . -name '*.json' -print0 | xargs -0 grep -l '"version"' | search
for f in *.py; do echo "== $f"; head -5 "$f"; done | a loop that shows
while read -r line; do echo "$line"; done < list.txt | looks at something
test -d node_modules && echo present || echo missing | looks at something
[[ -f package.json ]] && jq -r .name package.json | a field
jq '.dependencies | keys' package.json | a field
yq '.services | keys' docker-compose.yml | containers here
awk '{print $1, $NF}' access.log | sort | uniq -c | sort -rn | head -20 | columns
awk 'length > 100' src/*.py | columns
sed 's/foo/bar/g' file | head | a piece
tr ',' '\\n' < a.csv | sort | uniq -c | counted
comm -13 <(sort a) <(sort b) | counted
diff -rq dir1 dir2 | looks at something
head -n 1 data.csv | tr ',' '\\n' | nl | looks at something
sort -t, -k3 -nr data.csv | head -3 | counted
tail -n 50 app.log | grep -E "ERROR|WARN" | cut -c1-200 | search
grep -rIl --include='*.ts' 'useEffect' src | wc -l | search
grep -A3 -B3 -n "def foo" src/*.py | search
zcat app.log.1.gz | grep ERROR | tail | search
rg -uu -l password . | search
fd '\\.tsx?$' src --max-depth 3 | looks at something
ls -1t | head -1 | looks at something
ls *.{md,txt} 2>/dev/null | looks at something
file -b --mime-type image.png | looks at something
df -h | grep -v tmpfs | search
ps -ef | grep -v grep | grep python | processes
ss -ltnp | looks at something
netstat -tlnp | looks at something
command -v docker >/dev/null && echo ok | containers here
whoami; hostname; pwd | looks at something
date -u '+%Y-%m-%dT%H:%M:%SZ' | looks at something
cal | looks at something
xxd -l 64 file.bin | looks at something
od -c f | head | looks at something
sha256sum -c sums.txt | looks at something
echo aGk= | base64 -d | looks at something
tar tvf a.tar --wildcards '*.py' | a listing
unzip -p a.zip x.txt | head | looks at something
docker ps -a --format '{{.Names}}\\t{{.Status}}' | containers here
docker logs --tail 50 web 2>&1 | grep ERROR | containers here
docker stats --no-stream | containers here
systemctl status nginx --no-pager | services
systemctl is-active nginx | services
node -v && npm -v | looks at something
pip list --format=freeze | looks at something
java -version 2>&1 | head -1 | looks at something
getent passwd root | looks at something
realpath . | looks at something
dirname /a/b/c | looks at something
echo "scale=2; 10/3" | bc | looks at something
printf '%s\\n' *.py | looks at something
echo "Lines: $(wc -l < f)" | looks at something
pdfinfo a.pdf | looks at something
ffprobe -v error -show_entries format=duration -of csv=p=0 a.mp4 | looks at something
man -k copy | head | looks at something
nm -D lib.so | grep foo | search
readelf -h a.out | looks at something
ulimit -a | looks at something
ip -br addr | looks at something
last -n 5 | looks at something
dmesg | tail -20 | looks at something
dpkg -l | grep python3 | search
rpm -qa | sort | head | counted
helm version --short | looks at something
tar tvf a.tar --wildcards '*.py' | a listing
mapfile -t f < <(ls); echo "${f[0]}" | a list of the script
mapfile -t -n 5 lines < notes.txt | a list of the script
"""

OTHERS = """
npm install | external | downloads, runs scripts
npm ci --silent && npm test | external | downloads
npm test | unknown | code of the project
npm run lint -- --fix | unknown | code of the project
npx tsc --noEmit | external | may download
yarn build | unknown | code of the project
pnpm i | external | downloads
pip install -r requirements.txt | external | downloads
python -m venv .venv | unknown | code
python manage.py migrate | unknown | code
python3 -c 'print(1)' | unknown | code
pytest -q tests/test_app.py | unknown | code
node scripts/build.js | unknown | code
make test | unknown | code
cargo test | unknown | code
go test ./... | unknown | code
mvn -q package | unknown | code
poetry run pytest | unknown | code
uv pip install httpx | external | downloads
docker build -t app . | external | may download
docker run --rm -it alpine sh | external | may download
docker compose up -d | external | may download
docker compose down -v | external ! | deletes volumes
docker exec web ls /app | external,unknown | runs a program elsewhere
docker rm -f web | external ! | deletes
docker system prune -af | external ! | deletes
kubectl get pods -n prod | external | another system
kubectl logs deploy/web --tail=100 | external | another system
kubectl apply -f k8s/ | external | another system
kubectl delete ns staging | external ! | deletes
helm upgrade --install web ./chart | external | another system
terraform plan | external | another system
terraform apply -auto-approve | external ! | may destroy
terraform destroy | external ! | destroys
terraform fmt | write | rewrites files
aws s3 ls s3://bucket | external | another system
aws s3 rm s3://bucket/a --recursive | external ! | deletes
aws ec2 terminate-instances --instance-ids i-1 | external ! | deletes
gcloud compute instances delete web-1 -q | external ! | deletes
az group delete -n rg | external ! | deletes
gh pr list | external | another system
gh pr create --fill | external | another system
gh repo delete o/r --yes | external ! | deletes
glab mr list | external | another system
git push origin main | external | another system
git push --force-with-lease | external ! | replaces
git pull --rebase | external | another system
git fetch --all --prune | external | another system
git clone https://git.example.org/a/b.git | external | another system
git add -A | write | the index
git commit -m 'fix: x' | write | a commit
git commit --amend --no-edit | write | a commit
git checkout -b feature/x | write | a branch
git checkout -- src/app.py | write ! | discards
git checkout main | write | another branch
git restore src/app.py | write ! | discards
git reset --hard origin/main | write ! | discards
git reset HEAD~1 | write | moves a branch
git clean -fdx | write ! | deletes
git stash | write | puts away
git stash drop | write ! | deletes
git branch -D old | write ! | deletes
git merge --no-ff feature/x | write | a merge
git rebase main | write | moves commits
git tag v1.2.0 | write | a tag
git tag -d v1 | write ! | deletes
git config core.hooksPath .hooks | unknown | programs that git runs
git config --global alias.st status | unknown | an alias may be any program
git -c core.fsmonitor=./x status | unknown | runs a program
git rm -r --cached dist | write ! | removes
git worktree add ../x main | write | a folder
git worktree remove ../x | write ! | deletes
mkdir -p build/out | write | a folder
touch a.txt | write | a file
cp -r src dst | write ! | overwrites
mv a.txt b.txt | write ! | overwrites
rm -rf node_modules | write ! | deletes
rm -f *.pyc | write ! | deletes
find . -name '*.pyc' -delete | write ! | deletes
find . -name '*.tmp' -exec rm {} \\; | write ! | deletes
find . -name '*.orig' | xargs rm -f | write ! | deletes
chmod +x run.sh | write | a mode
chown -R app:app /srv/app | write | an owner
ln -sf a b | write ! | replaces
echo 'x=1' > .env | write ! | truncates
echo 'x=1' >> .env | write | appends
cat a b > c | write ! | truncates
printf 'a' | tee out.txt | write ! | overwrites
sed -i 's/a/b/' f.txt | write | in place
sed -i.bak 's/a/b/' f.txt | write | in place
perl -pi -e 's/a/b/' f.txt | unknown | code
awk '{print > "out"}' f | write,unknown | writes
sort -o f f | write ! | overwrites
tar -xzf a.tgz -C /tmp/x | write ! | overwrites
tar czf a.tgz src | write ! | overwrites
unzip -o a.zip | write ! | overwrites
yes | unzip a.zip | write ! | what it asks is answered
unzip -n a.zip | write | never overwrites
git apply --unsafe-paths x.patch | write ! | outside of the tree
gpg -er a@example.org f | unknown | looks for the key on the network
ulimit -n10 | write | a limit
sysctl -f x.conf | write | the kernel
zip -r a.zip src | write | an archive
gzip big.log | write | replaces a file
gunzip big.log.gz | write | replaces a file
dd if=/dev/zero of=/tmp/f bs=1M count=1 | write ! | overwrites
truncate -s 0 app.log | write ! | empties
curl -s https://api.example.org/x | jq . | external | the network
curl -sSL https://get.example.org | bash | external,unknown | runs what it downloads
curl -o out.html https://example.org | external ! | overwrites
wget https://example.org/a.tgz | external | the network
ssh host 'systemctl restart app' | external | another system
ssh host 'rm -rf /srv/old' | external ! | deletes
scp a host:/tmp/ | external ! | overwrites
rsync -a src/ dst/ | write ! | overwrites
rsync -az --delete dist/ host:/srv | external ! | deletes
ping -c 1 example.org | external | the network
dig example.org | external | the network
psql -c 'select 1' | external | a database
psql -c 'DROP TABLE users' | external ! | deletes
mysql -e 'truncate table t' | external ! | deletes
redis-cli FLUSHALL | external ! | deletes
sqlite3 app.db 'DELETE FROM users' | write,unknown ! | deletes
sqlite3 app.db 'SELECT 1' | write,unknown | may create the file
systemctl restart nginx | write | a service
sudo systemctl stop app | write | a service
sudo apt-get install -y jq | external | downloads
sudo apt-get remove -y jq | external ! | deletes
brew install jq | external | downloads
kill -9 1234 | write ! | ends a process
pkill -f node | write ! | ends processes
killall node | write ! | ends processes
nohup node server.js > out.log 2>&1 & | unknown,unknown ! | code
crontab jobs.txt | write ! | replaces
export NODE_ENV=production | unknown,write | the shell
source .venv/bin/activate | unknown | code
eval "$(ssh-agent -s)" | unknown | code
bash deploy.sh | unknown | code
./gradlew build | unknown | code
bash -c 'rm -rf build' | write ! | deletes
sh -c "$CMD" | unknown | code
xargs -n1 sh -c 'rm "$1"' _ < names | write ! | deletes
env FOO=1 rm x | write ! | deletes
time rm -rf build | write ! | deletes
setsid rm x | write ! | deletes
watch -n1 'rm x' | write,unknown ! | deletes
flock /tmp/l rm x | write ! | deletes
parallel rm ::: a b | unknown,write ! | deletes
ffmpeg -i in.mp4 -c copy out.mkv | write ! | a file
ffmpeg -i https://example.org/a.m3u8 out.mp4 | external ! | the network
convert a.png -resize 50% b.png | write ! | a file
identify logo.png | unknown | what is in the picture may start other programs
mogrify -resize 50% *.png | write,unknown ! | in place
pandoc README.md -o README.pdf | write,unknown | a file
pdftotext report.pdf | write ! | a file
ruff check --fix . | write ! | rewrites
ruff format . | write | rewrites
black . | write | rewrites
gofmt -w . | write | rewrites
prettier --write src | unknown | code of the project
eslint . | unknown | code of the project
mypy src | unknown | code of the project
tmux new -d -s x 'npm start' | unknown | code
tmux send-keys -t x 'rm x' Enter | unknown | code
tmux kill-session -t x | write ! | ends programs
journalctl --vacuum-time=1d | write ! | deletes
dmesg -C | write ! | clears
ip link set eth0 down | write | the network
sysctl -w vm.swappiness=10 | write,unknown | the kernel
mount /dev/sdb1 /mnt | write,unknown | file systems
shutdown -h now | write ! | ends everything
useradd app | write | a user
"""
