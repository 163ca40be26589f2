// Asks the server at argv[2] with OpenAI's package and prints the answers as JSON.
"use strict";
const OpenAI = require("openai");

const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none", maxRetries: 0 });
const messages = [{ role: "user", content: "say something" }];

async function main() {
	const out = { models: [], model: (await client.models.retrieve("org/tiny")).id };
	for await (const m of client.models.list()) out.models.push(m.id);

	const settings = { model: "org/tiny", messages, max_completion_tokens: 20, temperature: 0 };
	const chat = await client.chat.completions.create(settings);
	out.chat = [chat.choices[0].message.content, chat.choices[0].finish_reason, chat.usage.completion_tokens];

	out.stream = ["", null, 0];
	for await (const p of await client.chat.completions.create(
		{ ...settings, stream: true, stream_options: { include_usage: true } })) {
		for (const c of p.choices) {
			out.stream[0] += c.delta.content || "";
			out.stream[1] = c.finish_reason || out.stream[1];
		}
		if (p.usage) out.stream[2] = p.usage.completion_tokens;
	}

	const text = { model: "org/tiny", max_tokens: 5, temperature: 0 };
	const both = await client.completions.create({ ...text, prompt: ["the sun", "the moon"] });
	out.completions = both.choices.map(c => c.text);
	out["completion stream"] = "";
	for await (const p of await client.completions.create({ ...text, prompt: "the sun", stream: true }))
		out["completion stream"] += p.choices[0].text;

	out.errors = {};
	for (const [name, change] of Object.entries({
		model: { model: "other" }, temperature: { temperature: 5 }, length: { max_tokens: 100000 },
		size: { user: "x".repeat(4 << 20) },
	})) {
		try {
			await client.chat.completions.create({ model: "org/tiny", messages, ...change });
		} catch (e) {
			out.errors[name] = [e.status, e.code, e.param];
		}
	}
	console.log(JSON.stringify(out));
}

main();
