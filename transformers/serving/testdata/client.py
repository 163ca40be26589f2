"""Asks the server at argv[1] with OpenAI's package and prints the answers as JSON."""

import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
question = [{"role": "user", "content": "say something"}]
out = {"models": [m.id for m in client.models.list()], "model": client.models.retrieve("org/tiny").id}

chat = client.chat.completions.create(model="org/tiny", messages=question, max_completion_tokens=20, temperature=0)
out["chat"] = [chat.choices[0].message.content, chat.choices[0].finish_reason, chat.usage.completion_tokens]

parts = list(client.chat.completions.create(
    model="org/tiny", messages=question, max_completion_tokens=20, temperature=0, stream=True,
    stream_options={"include_usage": True},
))
out["stream"] = [
    "".join(p.choices[0].delta.content or "" for p in parts if p.choices),
    [p.choices[0].finish_reason for p in parts if p.choices][-1],
    parts[-1].usage.completion_tokens,
]

both = client.completions.create(model="org/tiny", prompt=["the sun", "the moon"], max_tokens=5, temperature=0)
out["completions"] = [c.text for c in both.choices]
parts = client.completions.create(model="org/tiny", prompt="the sun", max_tokens=5, temperature=0, stream=True)
out["completion stream"] = "".join(p.choices[0].text for p in parts)

errors = {}
for name, kind, change in [
    ("model", openai.NotFoundError, {"model": "other"}),
    ("temperature", openai.BadRequestError, {"temperature": 5}),
    ("length", openai.BadRequestError, {"max_tokens": 100000}),
    ("size", openai.APIStatusError, {"user": "x" * (4 << 20)}),
]:
    try:
        client.chat.completions.create(**({"model": "org/tiny", "messages": question} | change))
    except kind as e:
        errors[name] = [e.status_code, e.code, e.param]
out["errors"] = errors
print(json.dumps(out))
