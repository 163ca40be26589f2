"""Renders templates with Python's transformers.

Reads {name: {"template" or "file", "messages", ...}} from its input and writes {name: {"text": ..., "error": ...}} to
its output, where error is the message of an exception, or "".
"""

import json
import pathlib
import sys

from transformers.utils.chat_template_utils import _normalize_chat_messages, render_jinja_template

out = {}
for name, row in json.load(sys.stdin).items():
    template = row.get("template", "")
    if "file" in row:
        template = (pathlib.Path(__file__).parent / "templates" / row["file"]).read_text()
    text, error = "", ""
    try:
        messages = _normalize_chat_messages(row.get("messages") or [])
        rendered, _ = render_jinja_template(
            [messages], tools=row.get("tools"), documents=row.get("documents"), chat_template=template,
            add_generation_prompt=row.get("prompt", False), continue_final_message=row.get("resume", False),
            **row.get("vars", {}),
        )
        text = rendered[0]
    except Exception as err:
        error = f"{type(err).__name__}: {err}"[:200]
    out[name] = {"text": text, "error": error}
json.dump(out, sys.stdout, ensure_ascii=False)
