"""Docstrings are plain text, as the C headers are: turns them into what Sphinx reads, nothing lost and nothing marked up."""
import re


def escape(text):
    """Code in backticks stays code; whatever else means something to Sphinx is a character."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(f"`{part}`" if part.startswith("`") and part.endswith("`") and len(part) > 2 else
                   re.sub(r"([\\*`|_])", r"\\\1", part) for part in parts)


def process(app, what, name, thing, options, lines):
    """Paragraphs stay paragraphs, indented ones are code, and "name: text" is a line of a list."""
    out, code, item = [], False, False
    for number, line in enumerate(lines):
        if not line.strip():
            out.append("")
            item = False
            continue
        indented = line.startswith("    ")
        if indented and item:  # goes on with the parameter above
            out.append("  " + escape(line.strip()))
            continue
        if indented and not code and number and lines[number - 1].strip():  # goes on with the line above
            out.append(escape(line.strip()))
            continue
        if indented and not code:
            out += ["", "::", ""]
        if not indented and code:
            out.append("")
        code = indented
        if indented:
            out.append(line)
            continue
        match = number and re.match(r"([A-Za-z_]\w*): (.*)", line)
        if match:
            out += [""] * (not item) + [f"* **{escape(match[1])}**: {escape(match[2])}"]
            item = True
        else:
            if item:
                out.append("")
            item = False
            out.append(escape(line))
    lines[:] = out
