"""Asks the server at argv[1] for embeddings with OpenAI's package and prints them as JSON."""

import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
texts = ["a b c", "d", "e f g h a b"]


def ask(**settings):
    answer = client.embeddings.create(**({"model": "org/embed", "input": texts} | settings))
    assert [d.index for d in answer.data] == list(range(len(answer.data)))
    return answer, [list(map(float, d.embedding)) for d in answer.data]


answer, vectors = ask()  # the package asks for base64
out = {"Default": vectors, "Usage": [answer.usage.prompt_tokens, answer.usage.total_tokens]}
out["Floats"] = ask(encoding_format="float")[1]
out["Tokens"] = ask(input=[[2, 7, 3]])[1]
out["Short"] = ask(dimensions=5)[1]
errors = {}
for name, kind, change in [
    ("model", openai.NotFoundError, {"model": "other"}),
    ("dimensions", openai.BadRequestError, {"dimensions": 100}),
    ("length", openai.BadRequestError, {"input": "a " * 100}),
]:
    try:
        ask(**change)
    except kind as e:
        errors[name] = [e.status_code, e.code, e.param]
out["Errors"] = errors
print(json.dumps(out))
