package serving_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
)

// until is JavaScript that waits until a condition is true.
func until(condition string) string {
	return `new Promise(done => { const look = () => (` + condition + `) ? done(true) : setTimeout(look, 5); look(); })`
}

// write puts text into an element of the page, as a user does.
func write(b *browser.Browser, id, text string) {
	browser.Eval[bool](b, `(e => { e.focus(); e.value = ""; return true; })(document.getElementById("`+id+`"))`)
	b.Call("Input.insertText", map[string]any{"text": text}, nil)
}

func press(b *browser.Browser, id string) {
	browser.Eval[bool](b, `(document.getElementById("`+id+`").click(), true)`)
}

const idle = `document.getElementById("stop").disabled && document.querySelector(".assistant:last-child p")`

func last(b *browser.Browser, selector string) string {
	return browser.Eval[string](b, `[...document.querySelectorAll("`+selector+`")].pop()?.textContent ?? ""`)
}

// The page shows answers while they are written, with figures, and errors. It needs nothing
// but the server, works with the keyboard and fits a phone.
func TestPage(t *testing.T) {
	b := browser.Start(t)
	lm := newLM(t)
	h := hold(lm.Model)
	a := serve(t, lm, h)
	for _, dark := range []bool{false, true} {
		b.In(t, 400, 700, dark)
		b.Load(a.http.URL + "/")
		browser.Eval[bool](b, until(`document.body.dataset.ready`))
		assert.Equal(t, "org/tiny", browser.Eval[string](b, "document.title"))
		assert.LessOrEqual(t, browser.Eval[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
		assert.Equal(t, "question", browser.Eval[string](b, "document.activeElement.id"))
		light := browser.Eval[string](b, "getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
		assert.Equal(t, !dark, light)
		assert.GreaterOrEqual(t, contrast(b), 4.5)
	}
	browser.Eval[bool](b, `(document.querySelector("summary").click(), true)`)
	write(b, "temperature", "0")
	write(b, "tokens", "20")
	write(b, "question", "say <b>something</b>")
	b.Key("Enter")
	for range 6 { // the answer shows before it is complete
		h.let <- struct{}{}
	}
	browser.Eval[bool](b, until(`document.querySelector(".assistant div")?.textContent`))
	assert.False(t, browser.Eval[bool](b, idle+" && true || false"))
	close(h.let)
	browser.Eval[bool](b, until(idle))
	want, err := lm.Chat(context.Background(), []chat.Message{{Role: "user", Content: "say <b>something</b>"}},
		generation.MaxNewTokens(20))
	require.NoError(t, err)
	assert.Equal(t, "say <b>something</b>", last(b, ".user div"))
	assert.Equal(t, want, last(b, ".assistant div"))
	assert.Regexp(t, `^20 tokens, first after [\d.]+ s, then [\d.]+ tokens per second; .*largest number`,
		last(b, ".figures"))
	b.Settle()
	b.Screenshot("chat-dark")

	// A second question has the first one as its context.
	write(b, "question", "and the moon")
	press(b, "send")
	browser.Eval[bool](b, until(idle))
	want, err = lm.Chat(context.Background(), []chat.Message{
		{Role: "user", Content: "say <b>something</b>"},
		{Role: "assistant", Content: want},
		{Role: "user", Content: "and the moon"},
	}, generation.MaxNewTokens(20))
	require.NoError(t, err)
	assert.Equal(t, want, last(b, ".assistant div"))

	press(b, "clear")
	assert.Empty(t, last(b, ".turn"))
	for _, request := range b.Requests {
		assert.Regexp(t, "^("+a.http.URL+"|data:|about:)", request, "the page asks nobody else")
	}
}

// The button and the key stop an answer.
func TestPageStops(t *testing.T) {
	b := browser.Start(t)
	lm := newLM(t)
	h := hold(lm.Model)
	a := serve(t, lm, h)
	b.Load(a.http.URL + "/")
	browser.Eval[bool](b, until(`document.body.dataset.ready`))
	for _, how := range []func(){
		func() { press(b, "stop") },
		func() { b.Key("Escape") },
	} {
		write(b, "question", "say it twice")
		press(b, "send")
		how()
		browser.Eval[bool](b, until(idle))
		assert.Equal(t, "Stopped.", last(b, ".figures"))
	}
	close(h.let)
}

func TestPageShowsErrors(t *testing.T) {
	b := browser.Start(t)
	lm := newLM(t)
	a := serve(t, lm, &failing{CausalLM: lm.Model})
	b.Load(a.http.URL + "/")
	browser.Eval[bool](b, until(`document.body.dataset.ready`))
	write(b, "question", "say something")
	press(b, "send")
	browser.Eval[bool](b, until(idle))
	assert.Equal(t, "Error: the model failed", last(b, "[role=alert]"))
	browser.Eval[bool](b, `(document.querySelector("summary").click(), true)`)
	write(b, "tokens", "5000")
	write(b, "question", "say something")
	press(b, "send")
	browser.Eval[bool](b, until(`document.querySelectorAll(".assistant p").length === 2`))
	assert.Contains(t, last(b, "[role=alert]"), "at most 257 fit")
}

// contrast returns the smallest contrast of the texts with their backgrounds, by WCAG's
// formula.
func contrast(b *browser.Browser) float64 {
	return browser.Eval[float64](b, `(() => {
		const light = c => {
			const [r, g, b] = c.match(/[\d.]+/g)
				.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		let least = 99;
		const log = document.getElementById("log");
		log.innerHTML = '<p class="turn user">a<span class="figures">b</span></p>' +
			'<p class="turn assistant">a<span class="error">b</span></p>';
		const texts = "h1, label, input, textarea, button:enabled, .turn, .turn span, summary";
		for (const e of document.querySelectorAll(texts)) {
			let back = e;
			while (getComputedStyle(back).backgroundColor === "rgba(0, 0, 0, 0)") back = back.parentElement;
			const [x, y] = [getComputedStyle(e).color, getComputedStyle(back).backgroundColor].map(light)
				.sort((a, b) => b - a);
			least = Math.min(least, (x + 0.05) / (y + 0.05));
		}
		log.replaceChildren();
		return least;
	})()`)
}
