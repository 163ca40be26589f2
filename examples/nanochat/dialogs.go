package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// question is a question with its answer.
type question struct{ Kind, Text, Answer string }

// kinds are the kinds of questions.
var kinds = []struct {
	name string
	// draw returns a question, and whether it is for the evaluation only.
	draw func(r *rand.Rand) (q question, held bool)
}{
	{"sums", drawSum},
	{"capitals", drawCapital},
	{"copies", drawCopy},
}

// drawSum asks for the sum of two numbers. A tenth of the pairs is held out.
func drawSum(r *rand.Rand) (question, bool) {
	a, b := r.IntN(10), r.IntN(10)
	return question{"sums", fmt.Sprintf("What is %d + %d?", a, b), strconv.Itoa(a + b)}, (7*a+3*b)%10 == 0
}

// drawCapital asks for a capital in one of several ways, one of which is held out for each
// country.
func drawCapital(r *rand.Rand) (question, bool) {
	i, way := r.IntN(len(capitals)), r.IntN(len(ways))
	return question{"capitals", fmt.Sprintf(ways[way], capitals[i][0]), capitals[i][1]}, way == i%len(ways)
}

// drawCopy asks to repeat two words. A tenth of the pairs is held out.
func drawCopy(r *rand.Rand) (question, bool) {
	i, j := r.IntN(len(things)), r.IntN(len(things))
	pair := things[i] + " " + things[j]
	return question{"copies", "Repeat: " + pair, pair}, (3*i+j)%10 == 0
}

var ways = []string{
	"What is the capital of %s?", "Which city is the capital of %s?", "Name the capital of %s.", "The capital of %s?",
}

var capitals = [][2]string{
	{"France", "Paris"},
	{"Italy", "Rome"},
	{"Spain", "Madrid"},
	{"Portugal", "Lisbon"},
	{"Germany", "Berlin"},
	{"Austria", "Vienna"},
	{"Greece", "Athens"},
	{"Norway", "Oslo"},
	{"Sweden", "Stockholm"},
	{"Finland", "Helsinki"},
	{"Ireland", "Dublin"},
	{"Poland", "Warsaw"},
	{"Hungary", "Budapest"},
	{"Egypt", "Cairo"},
	{"Kenya", "Nairobi"},
	{"Japan", "Tokyo"},
	{"China", "Beijing"},
	{"Cuba", "Havana"},
	{"Peru", "Lima"},
	{"Canada", "Ottawa"},
}

var things = strings.Fields("apple bread chair door egg fish glass house island jacket key lamp moon needle " +
	"orange paper river stone table window")

// draw returns a random question of a kind, for the training or for the evaluation.
func draw(r *rand.Rand, kind int, held bool) question {
	for {
		if q, h := kinds[kind].draw(r); h == held {
			return q
		}
	}
}

// drawChoices returns a question for the evaluation, and four different answers, the first
// of which is right.
func drawChoices(r *rand.Rand, kind int) (q question, answers []string) {
	q = draw(r, kind, true)
	answers = []string{q.Answer}
	for len(answers) < 4 {
		if wrong := draw(r, kind, r.IntN(2) == 0).Answer; !slices.Contains(answers, wrong) {
			answers = append(answers, wrong)
		}
	}
	return q, answers
}

// dialog is a conversation.
type dialog []question

// newDialog returns a conversation of one to three questions for the training.
func newDialog(r *rand.Rand) (d dialog) {
	for range 1 + r.IntN(3) {
		d = append(d, draw(r, r.IntN(len(kinds)), false))
	}
	return d
}

// rowSource returns the random numbers for a row of a batch, so that the rows of a step do
// not depend on those before it.
func rowSource(seed uint64, step, row int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(step+1)<<32+uint64(row))) //nolint:gosec // a step is positive
}

func (d dialog) messages() (list []chat.Message) {
	for _, q := range d {
		list = append(list, chat.Message{Role: "user", Content: q.Text},
			chat.Message{Role: "assistant", Content: q.Answer})
	}
	return list
}

// template renders a conversation as encode does. It is part of the model's folder.
const template = `{{ bos_token }}{% for m in messages %}{% if m.role == 'assistant' %}` +
	`{{ '` + assistantStart + `' + m.content + '` + assistantEnd + `' }}{% else %}` +
	`{{ '` + userStart + `' + m.content + '` + userEnd + `' }}{% endif %}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '` + assistantStart + `' }}{% endif %}`

// encode returns the token IDs of a conversation and its labels. Labels of tokens that the
// model does not write itself are -100, which the loss leaves out.
func (d dialog) encode(t *tokenizers.Tokenizer) (ids, labels []int64, err error) {
	add := func(text string, answer bool) {
		if err != nil {
			return
		}
		var e *tokenizers.Encoding
		if e, err = t.Encode(text); err != nil {
			return
		}
		for _, id := range e.IDs {
			ids = append(ids, id)
			if !answer {
				id = ignored
			}
			labels = append(labels, id)
		}
	}
	add(bos, false)
	for _, q := range d {
		add(userStart+q.Text+userEnd+assistantStart, false)
		add(q.Answer+assistantEnd, true)
	}
	return ids, labels, err
}

// ignored is the label of a token that the loss leaves out.
const ignored = -100
