// Requests store their logits in a sync.Map, for a debugging page that nobody reads.
package main

import (
	"fmt"
	"log"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type api struct {
	model  *nn.Linear
	logits sync.Map
	serial atomic.Int64
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := a.serial.Add(1)
	x := torch.Rand(torch.Shape{1, 50})
	var out *torch.Tensor
	torch.NoGrad(func() { out = a.model.Forward(x) })
	a.logits.Store(id, out) // want leak
	fmt.Fprintf(w, "request %d: class %d\n", id, out.ArgMax().ItemInt())
}

func main() {
	a := &api{model: nn.NewLinear(50, 7)}
	a.model.Eval()
	http.Handle("/classify", a)
	http.HandleFunc("/debug", func(w http.ResponseWriter, r *http.Request) {
		a.logits.Range(func(k, v any) bool {
			fmt.Fprintln(w, k, v.(*torch.Tensor).Float32s())
			return true
		})
	})
	log.Fatal(http.ListenAndServe("localhost:8081", nil))
}
