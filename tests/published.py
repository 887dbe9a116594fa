"""Secrets of every known kind, made up when a test runs from what their makers publish of their form; nothing here was read off the masker.

Each line: the kind as the masker's placeholder names it, and the form: fixed text, and in braces the alphabet and how many characters of it
(`w` letters and digits, `u` those with - and _, `h` small hexadecimal, `H` capital hexadecimal, `d` digits, `l` small letters and digits,
`L` letters, `A` capitals and digits, `B` base64, `c` capitals, `b` base58, `n` bech32). The text before the first brace is split by `~`, so
that no scanner takes this table for the thing."""

from __future__ import annotations

import random
import re
import string

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALPHABETS = {
    "w": UPPER + LOWER + DIGITS,
    "u": UPPER + LOWER + DIGITS + "-_",
    "h": DIGITS + "abcdef",
    "H": DIGITS + "ABCDEF",
    "d": DIGITS,
    "l": LOWER + DIGITS,
    "L": UPPER + LOWER,
    "A": UPPER + DIGITS,
    "B": UPPER + LOWER + DIGITS + "+/",
    "c": UPPER,
    "b": "".join(sorted({*UPPER, *LOWER, *DIGITS} - {*"0OIl"})),
    "n": "023456789acdefghjklmnpqrstuvwxyz",
}
FORMS = """
gh ghp~_{w36}
gh gho~_{w36}
gh ghu~_{w36}
gh ghs~_{w36}
gh ghr~_{w36}
gh github~_pat_{w22}_{w59}
gitlab glpat~-{u20}
gitlab gldt~-{u20}
gitlab glrt~-{u20}
gitlab glrtr~-{u20}
gitlab glcbt~-{u20}
gitlab glptt~-{h40}
gitlab glft~-{u20}
gitlab glsoat~-{u20}
gitlab glffct~-{u20}
gitlab glimt~-{w25}
gitlab glagent~-{u50}
gitlab gloas~-{h64}
anthropic sk~-ant-api03-{u93}AA
anthropic sk~-ant-admin01-{u93}AA
openrouter sk~-or-v1-{h64}
openai sk~-proj-{u74}T3BlbkFJ{u74}
openai sk~-svcacct-{u74}T3BlbkFJ{u74}
openai sk~-admin-{u58}T3BlbkFJ{u58}
openai sess~-{w40}
sk sk~-{w20}T3BlbkFJ{w20}
sk sk~_{w40}
sk rk~_{w40}
sk csk~-{l48}
sk pcsk~_{w6}_{w62}
sk sk~.{w60}
stripe sk~_live_{w24}
stripe sk~_test_{w24}
stripe rk~_live_{w24}
stripe rk~_test_{w24}
stripe whsec~_{w32}
xai xai~-{w80}
groq gsk~_{w52}
google AI~za{u35}
google GOCSPX~-{u28}
google ya~29.{u90}
google 1~//0{u60}
google A~Q.{w50}
aws ABSK~{B108}
aws AKIA~{A16}
aws ASIA~{A16}
aws ABIA~{A16}
aws ACCA~{A16}
aws amzn~.mws.{h8}-{h4}-{h4}-{h4}-{h12}
slack xoxb~-{d12}-{d13}-{w24}
slack xoxp~-{d12}-{d12}-{d13}-{h32}
slack xoxa~-2-{d12}-{d12}-{h32}
slack xoxr~-{d12}-{d12}-{h32}
slack xoxs~-{d12}-{d12}-{d12}-{h10}
slack xoxe~-1-{w160}
slack xoxo~-{d12}-{d12}-{h32}
slack xoxc~-{d12}-{d12}-{d13}-{h64}
slack xoxd~-{d12}-{u40}
slack xapp~-1-A{A10}-{d13}-{h64}
slack https://hooks.slack~.com/services/T{A10}/B{A10}/{w24}
slack https://hooks.slack~.com/workflows/T{A10}/A{A10}/{d18}/{w24}
slack https://hooks.slack~.com/triggers/T{A10}/{d13}/{h32}
discord https://discord~.com/api/webhooks/{d18}/{u68}
discord https://discordapp~.com/api/webhooks/{d18}/{u68}
discord M{w23}~.{u6}.{u38}
huggingface hf~_{L34}
huggingface api~_org_{L34}
npm npm~_{w36}
pypi pypi~-AgEIcHlwaS5vcmc{u90}
sendgrid SG~.{u22}.{u43}
digitalocean dop~_v1_{h64}
digitalocean doo~_v1_{h64}
digitalocean dor~_v1_{h64}
databricks dapi~{h32}
shopify shpat~_{h32}
shopify shpca~_{h32}
shopify shppa~_{h32}
shopify shpss~_{h32}
age AGE~-SECRET-KEY-1{A58}
vault hvs~.{w90}
vault hvb~.{w140}
vault hvr~.{w90}
nvidia nvapi~-{u64}
dockerhub dckr~_pat_{u27}
dockerhub dckr~_oat_{u32}
linear lin~_api_{w40}
linear lin~_oauth_{w40}
jwt eyJ~hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{u43}
perplexity pplx~-{w48}
replicate r8~_{w37}
tavily tvly~-{w32}
firecrawl fc~-{h32}
jina jina~_{h32}{u28}
fireworks fw~_{w24}
langsmith lsv2~_pt_{h32}_{h10}
langsmith lsv2~_sk_{h32}_{h10}
voyage pa~-{u43}
together tgp~_v1_{u43}
sandbox e2b~_{h40}
sandbox dtn~_{h64}
gems rubygems~_{h48}
clojars CLOJARS~_{h60}
artifactory AKCp~{w69}
artifactory cmVm~dGtu{w56}
brevo xkeysib~-{h64}-{w16}
brevo xsmtpsib~-{h64}-{w16}
resend re~_{w8}_{w24}
square sq0atp~-{u22}
square sq0csp~-{u43}
square EAAA~{u60}
ship shippo~_live_{h40}
ship shippo~_test_{h40}
doppler dp.pt~.{w43}
doppler dp.st~.{w43}
doppler dp.ct~.{w43}
doppler dp.sa~.{w43}
doppler dp.scim~.{w43}
doppler dp.audit~.{w43}
dynatrace dt0c01~.{A24}.{A64}
dynatrace dt0s16~.{A24}.{A64}
notion ntn~_{w46}
notion secret~_{w43}
atlassian ATATT3~xFfGF0{u180}
atlassian ATCTT3~xFfGN0{u180}
atlassian ATBB~{w28}
figma figd~_{u40}
figma figo~_{u40}
postman PMAK~-{h24}-{h34}
grafana glsa~_{w32}_{h8}
grafana glc~_{w60}
newrelic NRAK~-{A27}
newrelic NRJS~-{h19}
newrelic NRII~-{u32}
newrelic NRAL~-{w32}
sentry sntrys~_{w120}
sentry sntryu~_{h64}
heroku HRKU~-{h8}-{h4}-{h4}-{h4}-{h12}
netlify nfp~_{w36}
netlify nfc~_{w36}
netlify nfo~_{w36}
netlify nfb~_{w36}
vercel vcp~_{w56}
vercel vci~_{w56}
vercel vca~_{w56}
vercel vcr~_{w56}
vercel vck~_{w56}
supabase sbp~_{h40}
supabase sb~_secret_{u31}
planetscale pscale~_tkn_{u43}
planetscale pscale~_pw_{u43}
planetscale pscale~_oauth_{u43}
fly fm1r~_{w80}
fly fm2~_{w80}
fly fo1~_{w43}
onepassword ops~_eyJ{w250}
tailscale tskey~-auth-{w17}-{w32}
easypost EZAK~{w54}
easypost EZTK~{w54}
flutterwave FLWSECK~-{h32}-X
typeform tfp~_{u59}
contentful CFPAT~-{u43}
prefect pnu~_{w36}
pulumi pul~-{h40}
readme rdme~_{l70}
infracost ico~-{w32}
adafruit aio~_{w28}
alibaba LTAI~{w20}
tencent AKID~{w32}
yandex AQVN~{u36}
yandex y0~_{u58}
yandex t1~.{u9}.{u86}
buildkite bkua~_{h40}
circleci CCIPAT~_{w22}_{h40}
sonar squ~_{h40}
sonar sqp~_{h40}
sonar sqa~_{h40}
sourcegraph sgp~_{h40}
sourcegraph sgd~_{h40}
dropbox sl~.{u140}
facebook EAAC~{w160}
facebook EAAB~{w160}
facebook EAAG~{w160}
facebook EAAD~{w160}
twilio SK~{h32}
mailgun key~-{h32}
mailchimp {h32}~-us12
telegram {d9}~:AA{u33}
azure {w3}8Q={u34}
terraform {w14}~.atlasv1.{u67}
airtable pat{w14}~.{h64}
crates cio~{w32}
nuget oy2~{l43}
swarm SWMTKN~-1-{l50}-{l25}
hubspot pat~-na1-{h8}-{h4}-{h4}-{h4}-{h12}
hubspot pat~-na2-{h8}-{h4}-{h4}-{h4}-{h12}
hubspot pat~-eu1-{h8}-{h4}-{h4}-{h4}-{h12}
posthog phx~_{w43}
aws bedrock~-api-key-{w132}
gitlab GR1348941~{u20}
neon napi~_{l64}
neon npg~_{w16}
render rnd~_{w28}
ory ory~_pat_{w32}
ory ory~_at_{w43}.{w43}
ory ory~_rt_{w43}.{w43}
duffel duffel~_live_{u43}
duffel duffel~_test_{u43}
deno ddp~_{w36}
deno ddo~_{w36}
inngest signkey~-prod-{h64}
inngest signkey~-test-{h64}
triggerdev tr~_prod_{w20}
triggerdev tr~_dev_{w20}
triggerdev tr~_stg_{w20}
context7 ctx7sk~-{h8}-{h4}-{h4}-{h4}-{h12}
apify apify~_api_{w36}
kaggle KGAT~_{h32}
llamaindex llx~-{w48}
browserbase bb~_live_{w27}
circleci CCIPRJ~_{w22}_{h40}
slack xwfp~-{d12}-{d12}-{w24}
onepassword A3~-{A6}-{A11}-{A5}-{A5}-{A5}
onepassword A3~-{A6}-{A6}-{A5}-{A5}-{A5}-{A5}
bitwarden 0.{h8}-{h4}-{h4}-{h4}-{h12}.{w30}:~{w22}==
paseto v4~.local.{u160}
paseto v2~.public.{u160}
bitcoin xprv~{b107}
bitcoin 5K~{b49}
nostr nsec1~{n58}
firebase AAAA~{w7}:APA91b{u134}
twitter AAAAAAAAAAA~AAAAAAAAAA{w80}
deepl {h8}-{h4}-{h4}-{h4}-{h12}~:fx
k3s K10~{h64}::server:{h32}
"""
COMMANDS = (
    "mysql -u root -p{} shop",
    "docker login -u dana -p {} registry.example.org",
    "vault login {}",
    "nmcli con modify home wifi-sec.psk {}",
    "redis-cli -h h -a {} ping",
    "useradd -m -p {} dana",
    "ConvertTo-SecureString {} -AsPlainText -Force",
    "sshpass -p {} ssh host",
    "mongosh -u dana -p {} db",
    "ldapsearch -x -D cn=admin -w {} -b dc=example",
    "mosquitto_pub -h h -u dana -P {} -t a",
    "7z x -p{} a.7z",
    "curl -u dana:{} https://example.org",
    "curl -b 'sid={}' https://example.org",
    "http -a dana:{} GET example.org",
    "smbclient //h/share -U dana%{}",
    "openssl rsa -in a.pem -passin pass:{}",
    "openssl enc -aes-256-cbc -k {} -in a",
    "htpasswd -bc .htpasswd dana {}",
    "kubectl create secret generic x --from-literal=code={}",
    "gh secret set CODE --body {}",
    "ssh-keygen -t ed25519 -N {} -f key",
    "net user dana {} /add",
    "xfreerdp /u:dana /p:{} /v:h",
    "wbinfo -a dana%{}",
    "sqlplus -s scott/{}@orcl",
    "CONN scott/{}@orcl",
    "curl -sSu dana:{} https://example.org",
    "curl --cert c.pem:{} https://example.org",
    "curl -x dana:{}@proxy:8080 https://example.org",
    "http -A bearer -a {} GET example.org",
    "evil-winrm -i h -u dana -p {}",
    "schtasks /create /ru dana /rp {}",
    "rabbitmqctl change_password dana {}",
    "openssl passwd -6 {}",
    "mkpasswd -m sha-512 {}",
    "htpasswd -nbB dana {}",
    "htpasswd -Bbn dana {}",
    "docker run --rm httpd htpasswd -b -n -C 10 dana {}",
    "htpasswd -b -c /etc/nginx/users dana {}",
    "caddy hash-password --plaintext {}",
    "ansible-vault encrypt_string --name db {}",
    "qpdf --encrypt {} {} 256 -- in out",
    "pdftotext -upw {} in.pdf",
    "pdftk in.pdf input_pw {} output out.pdf",
    "security add-generic-password -a dana -s svc -w {}",
    "security unlock-keychain -p {} login.keychain",
    "bw unlock {}",
    "bw list items --session {}",
    "snmpwalk -v2c -c {} h",
    "snmpwalk -v3 -u dana -A {} -X {} h",
    "radtest dana {} h 0 {}",
    "isql dsn dana {}",
    "tsql -S h -U sa -P {}",
    "etcdctl --user root:{} get x",
    "influx query -t {} x",
    "p4 -P {} info",
    "poetry config http-basic.example dana {}",
    "composer config github-oauth.example.org {}",
    "cargo login {}",
    "wandb login {}",
    "dotnet nuget add source u -u dana -p {}",
    'dotnet user-secrets set "Db:Code" {}',
    "conda token set {}",
    "mc alias set m https://h.example.org AKEYID {}",
    "b2 account authorize 0012 {}",
    "swift -K {} list",
    "sendemail -xu dana -xp {}",
    "swaks --auth-user dana -ap {}",
    "lftp -u dana,{} h",
    "wpa_passphrase home {}",
    "networksetup -setairportnetwork en0 home {}",
    "nsupdate -y hmac-sha256:name:{}",
    "aws ssm put-parameter --name /a/b --value {} --type SecureString",
    "rclone obscure {}",
)
"""Command lines in which a program takes a password by a short flag or a word, after its manual page."""
STATED = (
    "requirepass {}",
    "AUTH default {}",
    "a1 LOGIN dana {}",
    "USER dana\nPASS {}",
    "/msg NickServ IDENTIFY {}",
    "ftp -n h <<E\nuser dana {}\nE",
    ': PSK "{}"',
    "dana * {} *",
    "enable secret {}",
    "username dana privilege 15 secret 5 {}",
    "snmp-server community {} RO",
    "Unseal Key 1: {}",
    "tacacs-server key {}",
    "crypto isakmp key {} address 1.2.3.4",
    "rootpw --plaintext {}",
    "SET PASSWORD FOR 'dana'@'h' = '{}';",
    "UPDATE users SET hash = crypt('{}', gen_salt('bf'))",
    "PRAGMA key = '{}';",
    "db2 connect to x user dana using {}",
    'expect "assword:"; send "{}\\r"',
    'smtp.login("dana", "{}")',
    'new NetworkCredential("dana", "{}")',
    'DBI->connect($dsn, "dana", "{}")',
    'new PDO($dsn, "dana", "{}")',
    'Credentials("realm", "host", "dana", "{}")',
    'WiFi.begin("home", "{}");',
    'pymysql.connect("h", "dana", "{}", "db")',
    'res.cookie("sid", "{}")',
    "jdbc:oracle:thin:scott/{}@//h:1521/x",
    "https://maker.ifttt.com/trigger/x/with/key/{}",
    "chpasswd:\n  list: |\n    root:{}\n    dana:{}",
    'variable "db_password" {{\n  type = string\n  default = "{}"\n}}',
    "DbPassword:\n  Type: String\n  NoEcho: true\n  Default: {}",
    '["mysql", "-p{}", "-uroot"]',
    "command:\n  - mysql\n  - -uroot\n  - -p{}",
    "subprocess.run(['sshpass', '-p', '{}', 'ssh', 'h'])",
    "ｐａｓｓｗｏｒｄ：{}",
    "Authorization: Basic\n  {}",
    "Authorization:\n  Bearer {}",
    'Authorization: "Bearer " + "{}"',
    'cookies={{"session": "{}"}}',
    "cookies: {{ sid: '{}', theme: 'dark' }}",
    'session.cookies["sid"] = "{}"',
    "use this key: {}",
    "here is the token you asked for - {}",
    "Incorrect API key provided: {}. You can find",
    "creds are dana:{}",
    "Password for dana: {}",
    "echo '{}' > ~/.vault-token",
    "printf '%s\\n%s\\n' {} {} | passwd dana",
    "echo {} | kinit dana",
    "Server=db;UID=sa;PWD={};Encrypt=yes",
    "    Key Content            : {}",
    "TOKEN=$(echo {})",
    "The API key is `{}`",
    "**Password:** {}",
    "PASSWORD ?= {}",
    'static API_KEY: &str = "{}";',
    "id,username,password\n1,dana,{}",
    " password \n----------\n {}\n(1 row)",
    "| API key | {} |",
    "token,{}",
    "INSERT INTO users (name, password) VALUES ('dana', '{}');",
    "<td>Password</td><td>{}</td>",
    "<Password><Value>{}</Value></Password>",
    '<input name="password" type="hidden" value="{}"/>',
    '(setq api-token "{}")',
    "https://example.org/cb?code={}&state=x",
    'export BW_SESSION="{}"',
    "psexec.py corp/dana:{}@10.0.0.1",
)
"""What a protocol, a configuration, a library or a person says right before a secret."""
PLACES = (
    "the token {} works",
    "Authorization: Splunk {}",
    "Authorization: GenieKey {}",
    "it sends Bearer {} there",
    "git clone https://{}@git.example.org/a.git",
    "dana:{}@db.example.org",
    "password: {}",
    "-----BEGIN RSA PRIVATE " + "KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE " + "KEY-----\n{}",
    *STATED,
)
"""Where a secret stands that has neither a form nor a name."""
EXACT = (
    ("use the token kQpZrXwLmTnVeBcDfGhJ now", "use the token K now"),
    ("https://dana:48213@git.example.org/a", "https://dana:K@git.example.org/a"),
    ("https://dana:a/k7Qp2ZrX9wLm@git.example.org/a", "https://dana:K@git.example.org/a"),
    ("PASSWORD=k7Qp2Z'rX9wLm'4Tn8 run", "PASSWORD=K'K'K run"),
    ("password=k7Qp2Z,rX9wLm4Tn8", "password=K"),
    ("url?token=k7Qp2Z&rX9wLm4Tn8", "url?token=K&K"),
    ("password: k7Qp2Z)rX9;wLm", "password: K)K;K"),
    ("mysql -u root -pcorrecthorse shop", "mysql -u root -pK shop"),
    ("openssl rsa -in a -passin pass:correcthorse", "openssl rsa -in a -passin pass:K"),
    ("secret: |\n  k7Qp2ZrX9wLm\n  aB3dE5fG7hJ9\nregion: eu", "secret: |\n  K\n  K\nregion: eu"),
    ('{"password" :   "k7Qp2ZrX9wLm4Tn8"}', '{"password" :   "K"}'),
    ('TOKEN="k7Qp2Z"rX9wLm4Tn8, next', 'TOKEN="K"K, next'),
    ('password="k7Qp2ZrX9".strip', 'password="K".strip'),
    ("n=1%26password%3Dk7Qp2ZrX9wLm%26page%3D2", "n=1%26password%3DK%26page%3D2"),
    ("requirepass Sommer24!", "requirepass K"),
    ("https://oauth2:k7Qp2ZrX9wLm4Tn8Ve@git.example.org/a.git", "https://oauth2:K@git.example.org/a.git"),
    ("k7Qp2ZrX9wLm4Tn8Vek7Qp2ZrX9wLm4Tn8Ve\n-----END PRIVATE " + "KEY-----", "K\n-----END PRIVATE KEY-----"),
    ("qpdf --encrypt Sommer24a Winter25b 256 -- in out", "qpdf --encrypt K K 256 -- in out"),
    ("radtest dana Sommer24a h 0 Winter25b", "radtest dana K h 0 K"),
    ("snmpwalk -v3 -A Sommer24a -X Winter25b h", "snmpwalk -v3 -A K -X K h"),
    ("pdftk in.pdf user_pw Sommer24a output o", "pdftk in.pdf user_pw K output o"),
    ("vault login correcthorse", "vault login K"),
    ("cargo login correcthorse", "cargo login K"),
    ("wandb login correcthorse", "wandb login K"),
    ("conda token set correcthorse", "conda token set K"),
    ("curl -x dana:Sommer24a@proxy https://example.org", "curl -x dana:K@proxy https://example.org"),
    ("curl -x dana:Sommer24a@proxy:8080 u", "curl -x dana:K@proxy:8080 u"),
    ("a1 LOGIN dana Sommer!x", "a1 LOGIN dana K"),
    (': PSK "correcthorse"', ': PSK "K"'),
    ("enable secret 5 Sommer24a", "enable secret 5 K"),
    ("root:$6$Fu5lr5qa$" + "cvIEcBgZ5zKmzEhqgkjR.x" * 4 + ":19000:0", "root:$K$K$K.K:19000:0"),
    ("v1" + ".0-" + "1a2b3c4d" * 3 + "-" + "0123456789abcdef" * 9, "K"),
    (
        "Private-Lines: 1\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nPrivate-MAC: 1a",
        "Private-Lines: 1\nK\nPrivate-MAC: 1a",
    ),
    ("use `rpa" + "_Ab3dE6gHAb3dE6gHAb3dE6gHAb3dE6gH` now", "use `K` now"),
    ("token is `4821-abc`, see", "token is `K`, see"),
    ("PWD=Sommer24a;Server=db", "PWD=K;Server=db"),
    ("Authorization:\n  Bearer Sommer24a", "Authorization:\n  Bearer K"),
    ("mnemonic: abandon ability able about above absent absorb abstract absurd abuse access accident", "mnemonic:" + " K" * 12),
    ("see db_password\tEykCpZ9j6R5a9x", "see db_password\tK"),
    ("cookies = {'sid': 'k7Qp2ZrX9wLm'}; x = {'sid': 'correcthorse'}", "cookies = {'sid': 'K'}; x = {'sid': 'correcthorse'}"),
    ("printf '%s\\n%s\\n' Sommer24a Winter25b | passwd dana", "printf '%s\\n%s\\n' K K | passwd dana"),
    ("['mysql', '-uroot', '-pab cd;e1f2']", "['mysql', '-uroot', '-pK K;K']"),
    ("     1|id,username,password\n     2|1,dana,k7Qp2ZrX9wLm", "     1|id,username,password\n     2|1,dana,K"),
    ('log: "res.cookie(\\"sid\\", \\"k7Qp2ZrX9wLm\\")" end', 'log: "res.cookie(\\"sid\\", \\"K\\")" end'),
    ("curl --user dana:k7Qp2ZrX9\\\nwLm4Tn8Ve https://example.org", "curl --user dana:K https://example.org"),
    ('export TOKEN="k7Qp2ZrX9\\\nwLm4Tn8Ve" x', 'export TOKEN="K" x'),
    ("mysql -u root \\\n  -pk7Qp2ZrX9 db", "mysql -u root \\\n  -pK db"),
    ('password = ("k7Qp2ZrX9"\n "wLm4Tn8Ve")', 'password = ("K"\n "K")'),
    ('password = "k7Qp2ZrX9" + "wLm4Tn8Ve"', 'password = "K" + "K"'),
    ("cookies = {'sid': 'k7Qp2ZrX9wLm'}", "cookies = {'sid': 'K'}"),
    ("smbclient -U 'alice%k7Qp2ZrX9' //h/x", "smbclient -U 'alice%K' //h/x"),
    ("(echo k7Qp2ZrX9; echo k7Qp2ZrX9) | smbpasswd -s dana", "(echo K; echo K) | smbpasswd -s dana"),
    (
        "CREDENTIALS\tA" + "SIAQ7RZQ7RZQ7RZQ7RZ\t2026-01-01\twJalrXUtnFEMIK7MDENGbPxRfiCYk7Qp2ZrX9abc\t" + "FwoGZXIvYXdzEJr1" * 8,
        "CREDENTIALS\tK\t2026-01-01\tK\tK",
    ),
    ("the pair is A" + "KIAQ7RZQ7RZQ7RZQ7RZ\n  wJalrXUtnFEMIK7MDENGbPxRfiCYk7Qp2ZrX9abc", "the pair is K\n  K"),
    (
        "https://x.webhook.office.com/webhookb2/a/IncomingWebhook/0a1b2c3d4e5f60718293a4b5c6d7e8f9/f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "https://x.webhook.office.com/webhookb2/a/IncomingWebhook/K",
    ),
    ("API_TOKEN=KATASECRET_token_7 --password KATASECRET_password_8 x", "API_TOKEN=K --password K x"),
    ("use npm" + "_a1B2c3d4E5\u200b" + "a1B2c3" * 4 + "xY now", "use K now"),
    (
        "-----BEGIN PRIVATE " + "KEY-----\\nk7Qp2ZrX9wLm4Tn8\\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\\nK\\n-----END PRIVATE KEY-----",
    ),
    ('x = "-----BEGIN PRIVATE ' + 'KEY-----k7Qp2ZrX9" + "wLm4Tn8VekQpZrXwLm" + y', 'x = "-----BEGIN PRIVATE KEY-----K" + "K" + y'),
    (
        "-----BEGIN PRIVATE " + "KEY-----\nk7Qp2$X\nb\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nK$X\nK\n-----END PRIVATE KEY-----",
    ),
)
"""Texts, and what is left of each when every secret in it is a K."""
ALIKE = (
    "client_secret = settings.oauth.secret_value",
    "token=self.client2.token",
    "password = db1.password",
    "secret: cfg.v2.secret",
    "token = get_token(user)",
    "password: /run/secrets/db_pass",
    "token: ./secrets/token.txt",
    "password = {password}",
    "password: %(password)s",
    "password: <your password here>",
    'password="{{ vault_password }}"',
    "secret: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  62313365396662343061393464336163",
    'token["platform"] = "posix"',
    "token += nextchar",
    "token          = 1*tchar",
    "The token `git` is a command word.",
    "The key fingerprint is: SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDyzZ5FpYSdQ3lXy2k",
    "password reset for user kLm92Xz8Qp",
    "the token endpoint is https://id.example.org/oauth2/v2.0/token",
    "this key: value pair maps names to ports",
    "| token | endpoint |\n|---|---|\n| get_token2 | returns the token |",
    "name,token_count,model\nrun1,812,base2",
    "['password',\n'FlagBitsToBitArray',\n'GetConVarBool',\n]",
    "from .tokens import BearerToken, OAuth2Token",
    'credentials=("hello", "world")',
    "x.connect('localhost', 8080)",
    "client.login(username, password)",
    'mysql.connect("localhost", "root", db_password)',
    "INSERT INTO users (name, password) VALUES (?, ?)",
    "INSERT INTO users (name, password) VALUES ($1, $2);",
    "FUNC:_ZNKSt13basic_fstreamIcSt11char_traitsIcEE7is_openEv@@GLIBCXX_3.4.5",
    'docker run --rm x mysql -u root -h db',
    '["mysql", "-uroot", "-h", "db"]',
    '{"command": "mysql", "args": ["-uroot", "-h", "db"]}',
    "command:\n  - redis-cli\n  - -h\n  - cache1.example.org",
    "variable \"db_password\" {\n  type = string\n  sensitive = true\n}",
    'variable "region" {\n  default = "eu-central-1"\n}',
    "DbPassword:\n  Type: String\n  Default: ''",
    "cookies = {'sid': sid, 'theme': theme}",
    "cookies=request.cookies",
    "sqlplus /nolog @run.sql",
    "sqlplus / as sysdba",
    "smbclient -U dana //h/share",
    "PASS src/app2.test.tsx",
    "PWD=/home/dana/project2024a; ls",
    "0 5 * * * /usr/local/bin/backup2024 --all *",
    "use the key id_ed25519 for that host",
    "the secret is in Vault under kv/data/app2024",
    "echo done > token.txt",
    "<input name=\"password\" type=\"password\" value=\"\">",
    "<td>Token</td><td>required</td>",
    "openssl passwd -6 -stdin",
    "security find-generic-password -s svc -w",
    "path = C:\\temp\\\nnext: value",
)
"""What stands for a secret and is none."""
_BRACED = re.compile(r"\{(\w)(\d+)\}")


def forms() -> tuple[tuple[str, str], ...]:
    """Kind and form of each line."""
    pairs = (line.split(" ", 1) for line in FORMS.strip().splitlines())
    return tuple((kind, form.replace("~", "").replace("8Q=", "8Q~")) for kind, form in pairs)


def secret(form: str, seed: int) -> str:
    """A secret of that form, drawn anew until each part of more than eight characters holds a digit and a letter where it can."""
    chance = random.Random(f"{form}{seed}")
    return _BRACED.sub(lambda part: _drawn(chance, ALPHABETS[part[1]], int(part[2])), form)


def _drawn(chance: random.Random, alphabet: str, count: int) -> str:
    while True:
        text = "".join(chance.choices(alphabet, k=count))
        mixed = any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)
        if count < 8 or mixed or alphabet.isdigit() or alphabet.isalpha():
            return text if text[-1:].isalnum() and text[:1].isalnum() else text[:-1] + "a" if text[:1].isalnum() else "a" + text[1:-1] + "a"
