"""A third plugin for the host tests: it forbids, asks about and rewrites what an agent or a kata does with certain files."""

from __future__ import annotations

from harness import Host

FORBIDDEN, ASKED, REWRITTEN = "fig", "plum", "kiwi"
"""The files that it forbids, asks a person about, and counts another one for."""
NO, QUESTION = "the guard says no to figs", "Is a plum allowed?"
SOURCE = f'''
def register(ctx):
    ctx.register_hook("pre_tool_call", guard)

def guard(tool_name="", args=None, **_):
    text = str((args or {{}}).get("command", "")) if tool_name == "terminal" else ""
    if not text.startswith("wc -l"):
        return None
    if text.endswith("/{FORBIDDEN}.txt"):
        return {{"action": "block", "message": "{NO}"}}
    if text.endswith("/{ASKED}.txt"):
        return {{"action": "approve", "message": "{QUESTION}", "rule_key": "plum"}}
    if text.endswith("/{REWRITTEN}.txt"):
        return {{"action": "modify", "args": {{"command": "touch src/rewritten"}}}}
'''


def guard(host: Host) -> None:
    """Install the plugin in a home, with the files that it looks after and one that it lets through."""
    folder = host.root / "guard"
    folder.mkdir()
    manifest = "name: guard\nversion: 0.1.0\ndescription: Guards.\nprovides_hooks: [pre_tool_call]\n"
    (folder / "plugin.yaml").write_text(manifest, encoding="utf-8")
    (folder / "__init__.py").write_text(SOURCE, encoding="utf-8")
    (host.work / "src").mkdir(exist_ok=True)
    for word in (FORBIDDEN, ASKED, REWRITTEN, "quince"):
        (host.work / "src" / f"{word}.txt").write_text(f"TODO {word}\n")
    host.install(folder, "guard")
