"""Calls tools at the server at argv[1] with OpenAI's package and prints the answers as JSON."""

import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
tools = [{
    "type": "function",
    "function": {
        "name": "weather", "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}]
messages = [{"role": "user", "content": "How is the weather in Paris?"}]


def ask(**settings):
    return client.chat.completions.create(model="org/tiny", messages=messages, tools=tools, temperature=0, **settings)


choice = ask().choices[0]
call = choice.message.tool_calls[0]
made = [call.function.name, json.loads(call.function.arguments)]
out = {"first": [choice.message.content, choice.finish_reason, made]}

messages += [choice.message, {"role": "tool", "tool_call_id": call.id, "content": "20 degrees"}]
choice = ask(tool_choice="auto").choices[0]
out["second"] = [choice.message.content, choice.finish_reason]

with client.chat.completions.stream(model="org/tiny", messages=messages, tools=tools, temperature=0) as stream:
    for _ in stream:
        pass
    choice = stream.get_final_completion().choices[0]
out["stream"] = [choice.message.content, choice.finish_reason] + [
    [c.function.name, json.loads(c.function.arguments)] for c in choice.message.tool_calls
]
try:
    ask(tool_choice="required")
except openai.BadRequestError as e:
    out["error"] = [e.status_code, e.code, e.param]
print(json.dumps(out))
