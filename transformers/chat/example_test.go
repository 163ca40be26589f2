package chat_test

import (
	"fmt"
	"log"
	"time"

	"github.com/gotorch/gotorch/transformers/chat"
)

func Example() {
	tmpl, err := chat.Parse(`{% for m in messages %}
<|{{ m.role }}|>{{ m.content | trim }}{{ eos_token }}
{% endfor %}
{% if add_generation_prompt %}<|assistant|>{% endif %}`)
	if err != nil {
		log.Fatal(err)
	}
	text, err := tmpl.Render([]chat.Message{
		{Role: "system", Content: "Be brief."},
		{Role: "user", Content: "What is Go? "},
	}, chat.AddGenerationPrompt(true), chat.Vars{"eos_token": "</s>"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// <|system|>Be brief.</s>
	// <|user|>What is Go?</s>
	// <|assistant|>
}

func ExampleTools() {
	type function struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	tmpl, err := chat.Parse(`{{ strftime_now("%d %B %Y") }}{% for t in tools %} {{ t | tojson }}{% endfor %}`)
	if err != nil {
		log.Fatal(err)
	}
	text, err := tmpl.Render(nil, chat.Tools{function{"now", "The time."}}, chat.Now(time.Date(2026, 2, 3, 0, 0, 0,
		0, time.UTC)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output: 03 February 2026 {"name": "now", "description": "The time."}
}
