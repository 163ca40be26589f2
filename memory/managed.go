package memory

import "github.com/gotorch/gotorch/torch"

// Managed runs fn in a scope and gives back all memory when fn returns or
// panics. The scope closes what fn made and did not keep; Clear collects the
// rest and empties the caches. Use it for work after which the process should
// be small again, such as an evaluation between epochs or one model after
// another. Around each step of a loop it costs more than it saves; use
// torch.Scope there.
//
// In Python: a context manager with gc.collect() and torch.cuda.empty_cache()
// in its finally clause.
//
// It panics with torch.ErrNil for a nil fn.
func Managed(fn func()) {
	if fn == nil {
		panic(torch.NilFunc("memory.Managed", "fn"))
	}
	defer Clear()
	torch.Scope(fn)
}
