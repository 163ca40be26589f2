package distributed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// The kinds of Error, for errors.Is.
var (
	// ErrTimeout: other ranks did not arrive in time. It wraps context.DeadlineExceeded if the time
	// limit was a context's deadline.
	ErrTimeout = errors.New("timeout")
	// ErrPeer: the connection to another rank is closed, usually because its process has
	// ended.
	ErrPeer = errors.New("a rank is gone")
	// ErrMismatch: the ranks called different functions, or have different numbers of
	// ranks.
	ErrMismatch = errors.New("ranks differ")
	// ErrStore: the store is unreachable or refused a request.
	ErrStore = errors.New("store")
	// ErrInUse: the address of a store's server, or the rank, is already in use.
	ErrInUse = errors.New("in use")
	// ErrClosed: the group, the store or the work was closed, or an earlier failure has
	// ended the group.
	ErrClosed = errors.New("closed")
	// ErrEnvironment: a variable or an init method is missing or invalid.
	ErrEnvironment = errors.New("environment")
	// ErrCanceled: the context was canceled. It wraps context.Canceled.
	ErrCanceled = errors.New("cancelled")
	// ErrNetwork: any other failure of the network or of libtorch.
	ErrNetwork = errors.New("network")
)

// Error is a failure of a collective, a store or a rendezvous.
type Error struct {
	Op     string // such as "distributed.ProcessGroup.AllReduce"
	Kind   error  // one of the Err variables
	Rank   int    // the rank of this process, or -1
	World  int    // number of ranks, or 0
	Call   string // what was called, with the shapes and dtypes of its tensors
	Ranks  []int  // the ranks at fault, if known
	Detail string
	Err    error // the cause, if any
}

// Error describes what failed on which rank, and names the ranks at fault.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.World > 0 {
		fmt.Fprintf(&b, ", rank %d of %d", e.Rank, e.World)
	}
	if e.Call != "" {
		fmt.Fprintf(&b, ", %s", e.Call)
	}
	fmt.Fprintf(&b, ": %v", e.Kind)
	switch len(e.Ranks) {
	case 0:
	case 1:
		fmt.Fprintf(&b, ": rank %d", e.Ranks[0])
	default:
		fmt.Fprintf(&b, ": ranks %s", formatRanks(e.Ranks))
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Is reports whether target is the error's kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// formatRanks formats a list of ranks. It formats only the first twenty of a long list.
func formatRanks(ranks []int) string {
	s := make([]string, 0, len(ranks))
	for _, r := range ranks {
		s = append(s, fmt.Sprint(r))
	}
	if len(s) > 20 {
		s = append(s[:20], fmt.Sprintf("and %d more", len(ranks)-20))
	}
	return strings.Join(s, ", ")
}

// statusError converts the status of a native call to an *Error. It returns nil on success.
func statusError(op string, st native.Status) error {
	if e := nativeError(op, st); e != nil {
		return e
	}
	return nil
}

// nativeError is statusError for a caller that changes the Error.
func nativeError(op string, st native.Status) *Error {
	if st.Err == 0 {
		return nil
	}
	text := cgotorch.TakeError(st.Err).Message
	return &Error{Op: op, Kind: kindOf(st.Kind, text), Rank: -1, Detail: firstLine(text)}
}

// kindWords maps words in the messages of Gloo's exceptions to kinds of Error. The exceptions
// differ only in their messages.
var kindWords = []struct {
	kind  error
	words []string
}{
	{ErrInUse, []string{"EADDRINUSE", "address already in use"}},
	{ErrTimeout, []string{"timed out", "timeout"}},
	{
		ErrPeer,
		[]string{
			"closed by peer", "reset by peer", "broken pipe", "connection refused",
			"connection was likely closed",
		},
	},
}

func kindOf(kind native.Kind, text string) error {
	low := strings.ToLower(text)
	for _, k := range kindWords {
		if slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(low, strings.ToLower(w)) }) {
			return k.kind
		}
	}
	switch kind {
	case native.Timeout:
		return ErrTimeout
	case native.StoreGone:
		return ErrStore
	default:
		return ErrNetwork
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// contextError returns an Error for a context that has ended.
func contextError(op string, err error) *Error {
	kind := ErrCanceled
	if errors.Is(err, context.DeadlineExceeded) {
		kind = ErrTimeout
	}
	return &Error{Op: op, Kind: kind, Rank: -1, Err: err, Detail: err.Error()}
}

// argumentError returns an error about an argument that would be invalid on any rank.
func argumentError(op string, kind error, arg, format string, args ...any) *torch.Error {
	return torch.NewError(op, kind, arg, fmt.Sprintf(format, args...))
}

// groupError returns the group's *Error that err wraps, or err if it wraps none.
func groupError(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return err
}
