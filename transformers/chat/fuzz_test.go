package chat_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzRender(f *testing.F) {
	for _, s := range snippets {
		f.Add(s)
	}
	files, err := filepath.Glob("testdata/templates/*.jinja")
	require.NoError(f, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, s string) {
		tmpl, err := chat.Parse(s)
		if err == nil {
			_, err = tmpl.Render([]chat.Message{{Role: "user", Content: "Hi"}}, chat.AddGenerationPrompt(true))
		}
		var e *chat.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%T", err)
		}
	})
}

func TestLimits(t *testing.T) {
	for _, s := range []string{
		"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
		"{{ 'a' * 99999999999 }}", "{{ [1] * 99999999999 }}", "{{ range(999999999) }}",
		"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{{ " + strings.Repeat("(",
			5000) + "1" + strings.Repeat(")", 5000) + " }}", strings.Repeat("{% if true %}", 5000),
		"{{ " + strings.Repeat("not ", 5000) + "x }}", "{{ " + strings.Repeat("-", 5000) + "1 }}",
		"{{ " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}}",
		"{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
		"{% set n = namespace(s='aaaaaaaa') %}{% for i in range(60) %}" +
			"{% set n.s = n.s.replace('a', 'aaaa') %}{% endfor %}",
		"{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
		"{% set ns = namespace(l=[1]) %}{% for i in range(9999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}",
		"{% set n = namespace(l=[1]) %}{% for i in range(9999) %}{% set n.l = [n.l] %}{% endfor %}{{ n.l | tojson }}",
		"{% set n = namespace(l=[1]) %}{% for i in range(40) %}{% set n.l = [n.l, n.l] %}{% endfor %}{{ n.l == n.l }}",
		"{{ 'a'.ljust(999999999999) }}", "{{ 'a' | center(999999999999) }}", "{{ 'a\nb' | indent(999999999999) }}",
		"{% for i in range(99999) %}{{ 'aaaaaaaaaaaaaaaaaaaa' * 100 }}{% endfor %}", strings.Repeat("a", 2<<20),
	} {
		tmpl, err := chat.Parse(s)
		if err == nil {
			_, err = tmpl.Render(nil)
		}
		assert.ErrorIs(t, err, chat.ErrLimit, "%.80s", s)
	}
}

func TestManyGoroutines(t *testing.T) {
	tmpl, err := chat.Parse("{% for i in range(9) %}{{ 'a'.ljust(4, '*') }}{{ 'b'.center(5) }}" +
		"{{ loop.index }}{% endfor %}")
	require.NoError(t, err)
	want, err := tmpl.Render(nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := tmpl.Render(nil)
			assert.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
	wg.Wait()
}

func TestErrors(t *testing.T) {
	_, err := chat.Parse("a\n{{ x")
	var e *chat.Error
	require.ErrorAs(t, err, &e)
	assert.ErrorIs(t, err, chat.ErrSyntax)
	assert.Equal(t, 2, e.Line)
	for _, s := range []string{
		"{% include 'x' %}", "{{ x | random }}", "{{ x is unknown }}",
		"{% for x in y recursive %}{% endfor %}",
	} {
		_, err := chat.Parse(s)
		assert.ErrorIs(t, err, chat.ErrUnsupported, s)
	}
	tmpl, err := chat.Parse("{{ raise_exception('no ' + messages[0].role) }}")
	require.NoError(t, err)
	_, err = tmpl.Render([]chat.Message{{Role: "critic"}})
	require.ErrorAs(t, err, &e)
	assert.ErrorIs(t, err, chat.ErrRaised)
	assert.Equal(t, "no critic", e.Msg)
	_, err = tmpl.Render(nil, nil)
	assert.ErrorIs(t, err, chat.ErrValue)
	_, err = tmpl.Render(nil, chat.AddGenerationPrompt(true), chat.ContinueFinalMessage(true))
	assert.ErrorIs(t, err, chat.ErrValue)
	_, err = tmpl.Render(nil, chat.Vars{"f": func() {}})
	assert.ErrorIs(t, err, chat.ErrValue)
}
