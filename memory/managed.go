package memory

import "github.com/gotorch/gotorch/torch"

// Managed runs fn in a scope and calls [Clear] when fn returns or panics. The
// scope closes the tensors that fn created and did not keep. Clear frees the rest
// and empties the caches. Use Managed for work after which the process should be
// small again, such as an evaluation between epochs, or one model after another.
// For the steps of a loop use torch.Scope: there Managed costs more than it saves.
// It panics with torch.ErrNil if fn is nil.
//
// In Python: a context manager with gc.collect() and torch.cuda.empty_cache()
// in its finally clause.
func Managed(fn func()) {
	if fn == nil {
		panic(torch.NilFunc("memory.Managed", "fn"))
	}
	defer Clear()
	torch.Scope(fn)
}
