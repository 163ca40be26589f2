package serialization

import (
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/plain"
)

// Global is a Python class or function that a file names.
type Global struct {
	Name string // such as "os.system"
	// the offset at which the name first occurs: in the file, or in the pickle if it is
	// compressed
	Offset  int64
	Allowed bool     // whether Load accepts it
	Calls   []string // the first few calls that torch.load(weights_only=False) would make
	Count   int      // the number of calls
}

// mostCalls is the number of calls that are kept for each Global. longestCall is the
// approximate limit on the length of a call's text, in bytes.
const (
	mostCalls   = 8
	longestCall = 200
)

// finds holds the names and calls that Inspect has found so far.
type finds struct {
	list []*Global
	at   map[string]*Global
}

func (f *finds) name(g pickle.Global, ok bool) {
	name := g.String()
	if f.at[name] == nil {
		f.at[name] = &Global{Name: name, Offset: g.Offset, Allowed: ok}
		f.list = append(f.list, f.at[name])
	}
}

func (f *finds) call(name string, args []any) {
	g := f.at[name]
	if g == nil { // f is a method, or the result of a call
		g = &Global{Name: name, Offset: -1}
		f.at[name] = g
		f.list = append(f.list, g)
	}
	g.Count++
	if len(g.Calls) < mostCalls {
		g.Calls = append(g.Calls, callText(name, args))
	}
}

// Inspect lists the classes and functions that a file names, in the file's order, and the
// calls that torch.load(weights_only=False) would make. Inspect builds no values and runs
// nothing. If it fails, it returns the names that it found before the error. Follows
// torch.serialization.get_unsafe_globals_in_checkpoint, which lists only the names that are
// not Allowed.
func Inspect(path string) ([]Global, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.os.Close() }() // the file was only read, so closing it loses no data
	l := &reading{file: f, loading: loading{op: "serialization.Inspect", verify: true}, storages: map[string]*storage{}}
	l.found = &finds{at: map[string]*Global{}}
	err = f.wrap(l.read(func(any) error { return nil }))
	out := make([]Global, len(l.found.list))
	for i, g := range l.found.list {
		out[i] = *g
	}
	return out, err
}

// callText formats a call in Python's syntax, truncated if it is long.
func callText(name string, args []any) string {
	p := printer{most: longestCall}
	p.WriteString(plain.Short(name))
	left := plainer(longestCall)
	p.items("(", ")", left.list(args, 0), 0)
	return p.String()
}

// plainer converts values of a pickle to values that can be printed. The number is how many
// more values it may convert. It omits values that are nested too deeply.
type plainer int

func (p *plainer) list(items []any, depth int) []any {
	var out []any
	for _, v := range items {
		out = append(out, p.value(v, depth))
		if *p <= 0 {
			break
		}
	}
	return out
}

func (p *plainer) value(v any, depth int) any {
	if *p--; *p <= 0 || depth > 3 {
		return words("...")
	}
	switch v := v.(type) {
	case pickle.Bytes:
		return []byte(v[:min(len(v), longestCall)])
	case *pickle.ByteArray:
		return ByteArray(v.Bytes[:min(len(v.Bytes), longestCall)])
	case *pickle.List:
		return p.list(v.Items, depth+1)
	case *pickle.Tuple:
		return Tuple(p.list(v.Items, depth+1))
	case *pickle.Set:
		return &Set{Items: p.list(v.Items, depth+1), Frozen: v.Frozen}
	case *pickle.Map:
		d := &Dict{Class: Class(v.Class)}
		for i, k := range v.Keys {
			d.keys = append(d.keys, p.value(k, depth+1))
			d.values = append(d.values, p.value(v.Values[i], depth+1))
			if *p <= 0 {
				break
			}
		}
		return d
	case *foreign:
		if v.called {
			return words(callText(v.String(), nil))
		}
		return words(plain.Short(v.String()))
	case *tensor:
		return words("<tensor>")
	case *storageView:
		return words("<storage>")
	case function, storageType, unsupportedDType:
		return words(kindName(v))
	}
	return v
}

// words is text that is printed as it is, without quotes.
type words string

// String returns the text.
func (w words) String() string { return string(w) }
