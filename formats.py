"""What secrets of known kinds look like, as their makers publish it: prefixes, shapes, flags of programs behind which a password stands;
tables and nothing else. A module of its own, because the tables grow with every vendor and the machinery that reads them does not."""

from __future__ import annotations

from typing import NamedTuple

FORMATS: tuple[tuple[str, str, str], ...] = (
    ("gh", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36}"),
    ("gh", "github_pat_", r"\w{40}"),
    ("gitlab", "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glffct- glimt- glagent- gloas-", r"[\w-]{20}"),
    ("anthropic", "sk-ant-", r"[\w-]{40}"),
    ("openrouter", "sk-or-", r"v1-[0-9a-f]{40}"),
    ("openai", "sk-proj- sk-svcacct- sk-admin-", r"[\w-]{40}"),
    ("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9]{16}"),
    ("xai", "xai-", r"[A-Za-z0-9]{60}"),
    ("groq", "gsk_", r"[A-Za-z0-9]{40}"),
    ("google", "AIza", r"[\w-]{35}"),
    ("google", "GOCSPX-", r"[\w-]{28}"),
    ("google", "ya29.", r"[\w-]{30}"),
    ("aws", "ABSK", r"[A-Za-z0-9+/]{60}"),
    ("slack", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxo- xoxc- xoxd- xapp-", r"[0-9]{1,14}-[\w-]{10}"),
    ("huggingface", "hf_ api_org_", r"[A-Za-z]{34}"),
    ("npm", "npm_", r"[A-Za-z0-9]{36}"),
    ("pypi", "pypi-", r"AgE[\w-]{40}"),
    ("sendgrid", "SG.", r"[\w-]{16,24}\.[\w-]{30}"),
    ("digitalocean", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{40}"),
    ("databricks", "dapi", r"[0-9a-f]{32}"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    ("age", "AGE-SECRET-KEY-1", r"[0-9A-Z]{40}"),
    ("vault", "hvs. hvb. hvr.", r"[\w-]{24}"),
    ("nvidia", "nvapi-", r"[\w-]{40}"),
    ("dockerhub", "dckr_pat_ dckr_oat_", r"[\w-]{27}"),
    ("linear", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{40}"),
    ("jwt", "eyJ", r"[\w-]{10,240}+\.eyJ[\w-]{6}"),
    ("slack", "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", r"[A-Z0-9]{8,12}/[A-Z0-9]{8,12}/\w{16}"),
    ("discord", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"[0-9]{15,20}/[\w-]{40}"),
)
"""Vendor, published prefixes, and what must follow; it also counts when what follows looks drawn at random."""

LIKELY: tuple[tuple[str, str, int], ...] = (
    ("sk", "sk- sk_ rk_ csk- pcsk_ sk.", 16),
    ("openai", "sess-", 32),
    ("perplexity", "pplx-", 16),
    ("replicate", "r8_", 24),
    ("tavily", "tvly-", 12),
    ("firecrawl", "fc-", 24),
    ("jina", "jina_", 24),
    ("fireworks", "fw_", 20),
    ("langsmith", "lsv2_pt_ lsv2_sk_", 16),
    ("voyage", "pa-", 30),
    ("together", "tgp_v1_", 20),
    ("sandbox", "e2b_ dtn_", 24),
    ("google", "1//0 AQ.", 20),
    ("aws", "amzn.mws.", 24),
    ("gems", "rubygems_", 24),
    ("clojars", "CLOJARS_", 32),
    ("artifactory", "AKCp cmVmdGtu", 32),
    ("brevo", "xkeysib- xsmtpsib-", 32),
    ("resend", "re_", 20),
    ("square", "sq0atp- sq0csp- EAAA", 20),
    ("ship", "shippo_live_ shippo_test_", 24),
    ("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", 24),
    ("dynatrace", "dt0c01. dt0s16.", 20),
    ("notion", "ntn_ secret_", 30),
    ("atlassian", "ATATT3 ATCTT3 ATBB", 20),
    ("figma", "figd_ figo_", 20),
    ("postman", "PMAK-", 24),
    ("grafana", "glsa_ glc_", 24),
    ("newrelic", "NRAK- NRJS- NRII- NRAL-", 16),
    ("sentry", "sntrys_ sntryu_", 24),
    ("heroku", "HRKU-", 24),
    ("netlify", "nfp_ nfc_ nfo_ nfb_", 24),
    ("vercel", "vcp_ vci_ vca_ vcr_ vck_", 20),
    ("supabase", "sbp_ sb_secret_", 20),
    ("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", 20),
    ("fly", "fm1r_ fm2_ fo1_", 20),
    ("onepassword", "ops_", 40),
    ("tailscale", "tskey-", 16),
    ("easypost", "EZAK EZTK", 40),
    ("flutterwave", "FLWSECK-", 20),
    ("typeform", "tfp_", 32),
    ("contentful", "CFPAT-", 24),
    ("prefect", "pnu_", 24),
    ("pulumi", "pul-", 30),
    ("readme", "rdme_", 32),
    ("infracost", "ico-", 24),
    ("adafruit", "aio_", 20),
    ("alibaba", "LTAI", 12),
    ("tencent", "AKID", 24),
    ("yandex", "AQVN y0_ t1.", 30),
    ("buildkite", "bkua_", 24),
    ("circleci", "CCIPAT_", 20),
    ("sonar", "squ_ sqp_ sqa_", 24),
    ("sourcegraph", "sgp_ sgd_", 24),
    ("dropbox", "sl.", 60),
    ("facebook", "EAAC EAAB EAAG EAAD", 60),
    ("runpod", "rpa_", 24),
)
"""Vendor, prefixes that also begin other words, and how many characters must follow, which must look drawn at random."""

BEGINS = (
    r"(?:(?<![A-Za-z0-9].)|(?<=[nrtbfv0-9A-Fa-f].)"
    r"(?:(?<=\\[nrtbfv].)|(?<=%[0-9A-F][0-9A-F].)|(?<=\\x[0-9A-Fa-f]{2}.)|(?<=\\u[0-9A-Fa-f]{4}.)))"
)
"""What stands before the first character of a key, which was just read: no letter and no digit, or the end of an escape."""
SHAPES: tuple[tuple[str, str, str], ...] = (
    ("aws", "AKIA ASIA ABIA ACCA", rf"A{BEGINS}(?:KIA|SIA|BIA|CCA)[A-Z0-9]{{16}}(?![A-Za-z0-9])"),
    ("twilio", "SK", rf"S{BEGINS}K[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    ("mailgun", "key-", rf"k{BEGINS}ey-[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    ("mailchimp", "-us", rf"[0-9a-f]{BEGINS}[0-9a-f]{{31}}-us[0-9]{{1,2}}(?![A-Za-z0-9])"),
    ("telegram", ":AA", rf"[0-9](?:{BEGINS}|(?<=bot.))[0-9]{{7,9}}:AA[\w-]{{32,34}}(?![\w-])"),
    ("discord", ".", rf"[MNO]{BEGINS}[\w-]{{22,27}}\.[\w-]{{6}}\.[\w-]{{27,45}}(?![\w-])"),
    ("azure", "Q~", r"(?<![\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~.-])"),
    ("terraform", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,100}"),
    ("airtable", "pat", rf"p{BEGINS}at[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}(?![A-Za-z0-9])"),
    ("crates", "cio", rf"c{BEGINS}io[A-Za-z0-9]{{32}}(?![A-Za-z0-9])"),
    ("cloudflare", "v1.0-", rf"v{BEGINS}1\.0-[0-9a-f]{{24}}-[0-9a-f]{{100,160}}(?![A-Za-z0-9])"),
    ("crypt", "$", r"(?<=\$)(?:[1567y]|2[abxy]|apr1|argon2id?|scrypt)\$[\w./=,+-]{2,40}\$?[\w./$+=]{21,200}(?![\w./])"),
    ("putty", "Private-Lines:", r"(?:(?<=Private-Lines: [0-9])|(?<=Private-Lines: [0-9]{2}))(?:\s+[A-Za-z0-9+/=]{20,64}(?![\w-]*:))+"),
    ("nuget", "oy2", rf"o{BEGINS}y2[a-z0-9]{{43}}(?![A-Za-z0-9])"),
)
"""Vendor, texts of which one must be there, and the published shape, where a prefix alone would say too little."""


class Short(NamedTuple):
    """Programs, and a flag or word of theirs after which a secret stands: a "word", what follows the colon of a "pair", or "cookies"."""

    programs: str
    flag: str
    form: str = "word"


SHORT_FLAGS: tuple[Short, ...] = (
    Short("mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mariadb-admin", r"-p(?=[^\s])"),
    Short("docker podman nerdctl helm oras crane skopeo az buildah", r"login[ \t](?:[^\n;|&]{0,100}?[ \t])??-p[ \t]+(?!\S*:[0-9])"),
    Short("vault", r"login[ \t]+(?:-\S+[ \t]+){0,4}(?!-|\S*=)"),
    Short("nmcli", r"(?:[\w.-]+\.)?(?:password|psk)[ \t]+"),
    Short("redis-cli", r"-a[ \t]*"),
    Short("useradd usermod", r"-p[ \t]+"),
    Short("ConvertTo-SecureString", r"(?:-String[ \t]+)?"),
    Short("sshpass", r"-p[ \t]*"),
    Short("mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh", r"-p[ \t]*(?![0-9]{1,5}(?:\s|$))"),
    Short("ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami", r"-w[ \t]*"),
    Short("mosquitto_pub mosquitto_sub sqlcmd bcp zip unzip ipmitool", r"-P[ \t]*"),
    Short("7z 7za 7zz rar unrar", r"-h?p(?=[^\s])"),
    Short("curl", r"(?:-u|--user|-U|--proxy-user)[ \t=]*", form="pair"),
    Short("curl", r"-b[ \t]*", form="cookies"),
    Short("http https xh wget2 lftp", r"(?:-a|--auth|-u)[ \t=]*", form="pair"),
    Short("smbclient rpcclient", r"-U[ \t]*[\w.\\-]+%"),
    Short("openssl", r"(?:-pass|-passin|-passout)[ \t]+[\"']?pass:"),
    Short("openssl", r"-[kK][ \t]+"),
    Short("htpasswd", r"-[a-zA-Z]*b[a-zA-Z]*[ \t]+(?:[^\s-]\S*[ \t]+){2}"),
    Short("kubectl oc", r"--from-literal[ \t=]+[\"']?[\w.-]+="),
    Short("gh", r"secret[ \t]+set[ \t]+\w+[ \t]+(?:-b|--body)[ \t=]*"),
    Short("ssh-keygen", r"-[NP][ \t]+"),
    Short("net", r"user?[ \t]+(?:[^\s/]\S*[ \t]+){0,2}(?:/user:)?\S+[ \t]+(?!/)"),
    Short("xfreerdp rdesktop", r"(?:/p:|-p[ \t]+)"),
)
"""What no name announces: each is read from the manual page of its program."""
