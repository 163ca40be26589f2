package chat_test

import (
	"strings"
	"testing"

	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are templates that would need far too much time, memory or stack.
var hostile = map[string]string{
	"fill":        "{{ ''.ljust(4000000, 'x'*16000000) }}",
	"short fill":  "{{ ''.center(4000, 'x'*16000000) }}",
	"count":       "{% set a=[0]*99000 %}{% set b=[0]*99000 %}{{ ([a]*1000000).count(b) }}",
	"index":       "{% set a=[0]*99000 %}{% set b=[0]*98999+[1] %}{{ ([a]*1000000).index(b) }}",
	"order":       "{% set a=[0]*99000 %}{% set b=[0]*99000 %}{{ ([a]*1000000) < ([b]*1000000) }}",
	"changed":     loop("{% if loop.changed([0]*9000 + [i]) %}{% endif %}"),
	"isalpha":     "{% set s='a'*16000000 %}" + loop("{% if s.isalpha() %}{% endif %}"),
	"length":      "{% set s='a'*16000000 %}" + loop("{% if s|length %}{% endif %}"),
	"character":   "{% set s='a'*16000000 %}" + loop("{% if s[i] %}{% endif %}"),
	"wordcount":   "{% set s='a '*8000000 %}" + loop("{% if s|wordcount %}{% endif %}"),
	"equal texts": "{% set s='a'*16000000 %}{% set t='a'*16000000 %}" + loop("{% if s == t %}{% endif %}"),
	"arguments":   loop("{% if 1 is defined(" + strings.Repeat("1,", 9000) + "1) %}{% endif %}"),
	"star":        "{% set l=[1]*1000000 %}" + loop("{% if 1 is defined(*l) %}{% endif %}"),
	"targets":     loop("{% for " + strings.Repeat("a,", 9000) + "b in [[1]*9001] %}{% endfor %}"),
	"scopes": strings.Repeat("{% with a=1 %}", 180) + loop("{% if [messages, messages] %}{% endif %}") +
		strings.Repeat("{% endwith %}", 180),
	"path": "{% set p=('a.'*8000000) ~ 'a' %}{% set n=namespace() %}{% set n.a=n %}" +
		"{{ ([n]*1000000)|map(attribute=p)|list }}",
	"keys":     "{% set s='A'*16000000 %}{{ ([s]*100000)|max }}",
	"strftime": "{{ strftime_now('%c'*8000000) }}",
	"captures": "{% set s='a'*16000000 %}" + strings.Repeat("{% set a %}{{ s }}", 150) +
		strings.Repeat("{% endset %}", 150),
	"macros": "{% set s='a'*16000000 %}{% macro f(n) %}{{ s }}{% if n %}{{ f(n-1) }}{% endif %}{% endmacro %}" +
		"{{ f(50) }}",
	"undefined": "{% set s='a'*16000000 %}{% set n = namespace(l=1) %}" +
		loop("{% set n.l=[n.l, {}|attr(s)] %}"),
	"characters": "{% for c in 'a'*16000000 %}{% endfor %}",
	"split":      "{{ ('a'*16000000).split('a') }}",
	"words":      "{{ (' a'*8000000).split() }}",
	"rsplit":     "{{ ('a '*8000000).rsplit(None, 7999999) }}",
	"tojson":     "{{ [[[[[[[[[[1]]]]]]]]]]|tojson(indent='x'*16000000) }}",
	"operators":  "{{ a" + strings.Repeat("+a", 400000) + " }}",
	"attributes": "{{ a" + strings.Repeat(".a", 400000) + " }}",
	"filters":    "{{ a" + strings.Repeat("|e", 400000) + " }}",
	"calls":      "{{ a" + strings.Repeat("()", 400000) + " }}",
	"conditions": "{{ 1" + strings.Repeat(" if 1", 150000) + " }}",
	"or":         "{{ 1" + strings.Repeat(" or 1", 150000) + " }}",
	"and":        "{{ 1" + strings.Repeat(" and 1", 150000) + " }}",
}

// loop runs a body many times.
func loop(body string) string { return "{% for i in range(99999) %}" + body + "{% endfor %}" }

func TestHostileTemplates(t *testing.T) {
	for name, s := range hostile {
		t.Run(name, func(t *testing.T) {
			tmpl, err := chat.Parse(s)
			if err == nil {
				_, err = tmpl.Render(nil)
			}
			if name == "fill" || name == "short fill" {
				assert.ErrorIs(t, err, chat.ErrRender)
				return
			}
			assert.ErrorIs(t, err, chat.ErrLimit)
		})
	}
}

// TestLongWork has templates whose work was once quadratic, or that once caused a panic.
func TestLongWork(t *testing.T) {
	for _, c := range [][2]string{
		{"{{ ('a'*8000000).strip('b'*7999999 ~ 'a')|length }}", "0"},
		{"{{ ('a'*8000000)|trim('b'*7999999 ~ 'a')|length }}", "0"},
		{"{{ ('\\n'*500000).splitlines()|length }}", "500000"},
		{"{{ [1]|map(**{'': 'upper'})|list }}", "['1']"},
		{"{{ " + strings.Repeat("'a'", 300000) + "|length }}", "300000"},
		{"{{ 'añb'[1:] ~ 'añb'[:-1] ~ 'añb'[-2:-1] ~ 'añb'[2:1] ~ 'añb'[::-1] ~ 'añb'[5:] }}", "ñbaññbña"},
		{"{{ 'añ'|first ~ 'añ'|last ~ 'añ'[1] ~ 'añ'[-2] }}", "añña"},
		{"{{ 'a b  c'.rsplit(None, 1) }}", "['a b', 'c']"},
	} {
		tmpl, err := chat.Parse(c[0])
		require.NoError(t, err)
		got, err := tmpl.Render(nil)
		require.NoError(t, err, "%.80s", c[0])
		assert.Equal(t, c[1], got, "%.80s", c[0])
	}
}

func TestShortMessages(t *testing.T) {
	for _, s := range []string{
		"{{ raise_exception('x'*9000000) }}", "{{ 'x'.find(['x'*9000000]) }}",
		"{{ " + strings.Repeat("9", 500000) + " }}", "{{ {}['x'*9000000].a }}",
		"{{ raise_exception('\\x1b[2J') }}",
	} {
		tmpl, err := chat.Parse(s)
		if err == nil {
			_, err = tmpl.Render(nil)
		}
		var e *chat.Error
		require.ErrorAs(t, err, &e, "%.80s", s)
		assert.Less(t, len(e.Error()), 5000)
		assert.NotContains(t, e.Error(), "\x1b")
	}
}
