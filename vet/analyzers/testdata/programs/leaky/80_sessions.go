// Command sessions completes the input of users who type at the same time. Each session
// has the state of a recurrent model behind an interface.
//
// Leaky: gradients are not turned off, so the state of a session has the graph of
// everything that was typed in it. There are few sessions, and their tensors are replaced
// properly, but each key adds the graph of one cell, and nothing detaches it.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

const symbols, width = 30, 24

// stepper consumes one symbol and returns the most likely next symbol.
type stepper interface {
	step(symbol int64) (next int64)
	end()
}

type language struct {
	table *nn.Embedding
	cell  *nn.LSTMCell
	head  *nn.Linear
}

func newLanguage() *language {
	return &language{nn.NewEmbedding(symbols, width), nn.NewLSTMCell(width, width), nn.NewLinear(width, symbols)}
}

func (l *language) close() {
	for _, m := range []nn.Module{l.table, l.cell, l.head} {
		_ = m.Close()
	}
}

func (l *language) advance(symbol int64, h, c *torch.Tensor) (h2, c2 *torch.Tensor) {
	x := l.table.Forward(torch.FromSlice([]int64{symbol}))
	return l.cell.Forward(x, h, c)
}

type session struct {
	*language
	h, c *torch.Tensor
}

func (l *language) begin() stepper {
	zeros := func() *torch.Tensor { return torch.Disown(torch.Zeros(torch.Shape{1, width})) }
	return &session{l, zeros(), zeros()}
}

func (s *session) step(symbol int64) (next int64) {
	torch.Scope(func() {
		h, c := s.advance(symbol, s.h, s.c)
		s.replace(h, c)
		next = s.head.Forward(h).ArgMax().ItemInt()
	})
	return next
}

func (s *session) replace(h, c *torch.Tensor) {
	s.end()
	s.h, s.c = torch.Disown(h), torch.Disown(c) // want leak
}

func (s *session) end() {
	_ = s.h.Close()
	_ = s.c.Close()
}

func main() {
	torch.ManualSeed(25)
	l := newLanguage()
	defer l.close()
	users := map[string]stepper{}
	for _, name := range []string{"ann", "bob", "cem"} {
		users[name] = l.begin()
	}
	counts := make([]int, symbols)
	for key := range 120 {
		for name, s := range users {
			typed := int64(key+len(name)+int(name[0])) % symbols
			counts[s.step(typed)]++
		}
	}
	for _, s := range users {
		s.end()
	}
	fmt.Println(counts)
}
