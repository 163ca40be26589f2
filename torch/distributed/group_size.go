package distributed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// keySize holds the group size of the first Go rank. Python ranks ignore it.
	keySize = "gotorch/size"
	// keyOdd is set by a rank whose group size differs from keySize, and holds its size. Other
	// ranks read it when their join fails.
	keyOdd = "gotorch/odd"
)

// size is the group size that a rank was started with.
type size struct{ ranks, rank int }

func (s size) bytes() []byte { return fmt.Appendf(nil, "%d of rank %d", s.ranks, s.rank) }

func readSize(text []byte) (s size, err error) {
	if len(text) > 64 {
		return s, fmt.Errorf("the size takes %d bytes", len(text))
	}
	_, err = fmt.Sscanf(string(text), "%d of rank %d", &s.ranks, &s.rank)
	return s, err
}

// checkSize compares this rank's group size with the size of other Go ranks. If they
// differ, checkSize stores this rank's size for the ranks that are waiting. If the store
// has been used before, checkSize does nothing, because the keys may belong to earlier
// processes.
func (g *ProcessGroup) checkSize(op string, own *Store) error {
	if g.storeIsUsed {
		return nil
	}
	mine := size{len(g.ranks), g.globalRank}
	text, err := own.CompareSet(keySize, nil, mine.bytes())
	if err != nil {
		return g.asGroupError(err, op)
	}
	theirs, err := readSize(text)
	if err != nil || theirs.ranks == mine.ranks {
		// A value that is not a size was written by another program.
		return nil //nolint:nilerr // another program's key says nothing of this group
	}
	if err := own.Set(keyOdd, mine.bytes()); err != nil {
		return g.asGroupError(err, op)
	}
	return g.sizeError(op, theirs)
}

// sizeError returns the error for ranks with different group sizes. It names both, because either
// may be wrong.
func (g *ProcessGroup) sizeError(op string, theirs size) *Error {
	both := []size{{len(g.ranks), g.globalRank}, theirs}
	slices.SortFunc(both, func(a, b size) int { return cmp.Compare(a.rank, b.rank) })
	var parts []string
	for _, s := range both {
		parts = append(parts, fmt.Sprintf("rank %d has a group of %d ranks", s.rank, s.ranks))
	}
	return &Error{Op: op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Detail: strings.Join(parts, "; ")}
}

// oddSizeError returns an error if another rank has stored a different size, else nil. It
// ignores errors of the store, because connecting reports them.
func (g *ProcessGroup) oddSizeError(op string, own *Store) *Error {
	var theirs size
	is, err := own.Check(keyOdd)
	if err == nil && is {
		var text []byte
		if text, err = own.Get(context.Background(), keyOdd); err == nil {
			theirs, err = readSize(text)
		}
	}
	if err == nil && is && theirs.ranks != len(g.ranks) {
		return g.sizeError(op, theirs)
	}
	return nil
}

// oddSizeInterval is the interval at which a connecting rank checks for different sizes. Usually it
// connects before the first check.
const oddSizeInterval = time.Second

// withoutOddSize returns a context that ends when another rank has stored a different
// size, and a function that stops the check and returns the error. Connecting waits in
// native code and uses the group's connection to the store, so the check has its own
// connection.
func (g *ProcessGroup) withoutOddSize(ctx context.Context, op string, own *Store) (context.Context, func() *Error) {
	ctx, cancel := context.WithCancel(ctx)
	var found atomic.Pointer[Error]
	goRecovering(func() {
		tick := time.NewTicker(oddSizeInterval)
		defer tick.Stop()
		other := own
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if other == own && own.wakesWaiters { // a file store needs no second connection
				var err error
				if other, err = own.Clone(); err != nil {
					return
				}
				defer func() { _ = other.Close() }()
			}
			if err := g.oddSizeError(op, other); err != nil {
				found.Store(err)
				cancel()
				return
			}
		}
	}, func(p any) {
		found.Store(g.panicError(p))
		cancel()
	})
	return ctx, func() *Error {
		cancel()
		return found.Load()
	}
}

// linger gives the other ranks time to read that sizes differ, if this rank runs the store's
// server.
func (g *ProcessGroup) linger(ctx context.Context, err error) {
	var e *Error
	if !errors.As(err, &e) || !errors.Is(e.Kind, ErrMismatch) || g.storeHost != g.globalRank {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(rollCallTime):
	}
}
