package memory

import "github.com/gotorch/gotorch/torch"

// Managed runs fn in a scope and gives back all memory when it returns or
// panics: the scope closes what fn made and did not keep, and Clear collects the
// rest and empties the caches. It is for a stretch after which the process
// should be small again: an evaluation between epochs, one model after another.
// Around each step of a loop it costs more than it saves; a torch.Scope is for
// that.
//
// In Python: a context manager with gc.collect() and torch.cuda.empty_cache() in
// its finally.
func Managed(fn func()) {
	defer Clear()
	torch.Scope(fn)
}
