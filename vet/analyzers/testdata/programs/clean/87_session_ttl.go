// Command session_ttl keeps the states of users who are typing, and drops the states of
// idle users.
//
// Clean: states have no graph (NoGrad). A new state replaces the old one, which is
// closed. sweep closes sessions that were not used for 20 requests, so there are only
// about 20 sessions.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

const symbols, width, silence = 30, 24, 20

type session struct {
	state *torch.Tensor
	used  int // clock of the last request
}

type store struct {
	sessions map[string]*session
	clock    int
	dropped  int
}

// get returns a user's session, and creates it if there is none.
func (s *store) get(user string) *session {
	ss, ok := s.sessions[user]
	if !ok {
		ss = &session{state: torch.Disown(torch.Zeros(torch.Shape{1, width}))}
		s.sessions[user] = ss
	}
	ss.used = s.clock
	return ss
}

func (ss *session) set(state *torch.Tensor) {
	old := ss.state
	ss.state = torch.Disown(state)
	_ = old.Close()
}

// sweep removes the sessions that were last used before the given time.
func (s *store) sweep(before int) {
	for user, ss := range s.sessions {
		if ss.used < before {
			_ = ss.state.Close()
			delete(s.sessions, user)
			s.dropped++
		}
	}
}

type service struct {
	table *nn.Embedding
	cell  *nn.GRUCell
	head  *nn.Linear
	store store
}

func (s *service) complete(user string, symbol int64) (next int64) {
	s.store.clock++
	ss := s.store.get(user)
	torch.NoGrad(func() {
		torch.Scope(func() {
			ss.set(s.cell.Forward(s.table.Forward(torch.FromSlice([]int64{symbol})), ss.state))
			next = s.head.Forward(ss.state).ArgMax().ItemInt()
		})
	})
	s.store.sweep(s.store.clock - silence)
	return next
}

func (s *service) close() {
	s.store.sweep(s.store.clock + 1)
	_ = s.table.Close()
	_ = s.cell.Close()
	_ = s.head.Close()
}

func main() {
	torch.ManualSeed(67)
	s := &service{
		table: nn.NewEmbedding(symbols, width), cell: nn.NewGRUCell(width, width), head: nn.NewLinear(width, symbols),
		store: store{sessions: map[string]*session{}},
	}
	defer s.close()
	counts, most := make([]int, symbols), 0
	for request := range 300 {
		user := fmt.Sprintf("user %d", request/12+request%3)
		counts[s.complete(user, int64(request*7%symbols))]++
		most = max(most, len(s.store.sessions))
	}
	fmt.Println("at most", most, "sessions,", s.store.dropped, "dropped,", counts)
}
