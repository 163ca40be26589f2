// Requests in progress are in a sync.Map, and are removed when they are answered.
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
	model    *nn.Linear
	underWay sync.Map
	serial   atomic.Int64
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := a.serial.Add(1)
	x := torch.Rand(torch.Shape{1, 50})
	defer x.Close()
	a.underWay.Store(id, x)
	defer a.underWay.Delete(id)
	var class int64
	torch.NoGrad(func() {
		torch.Scope(func() { class = a.model.Forward(x).ArgMax().ItemInt() })
	})
	fmt.Fprintf(w, "request %d: class %d\n", id, class)
}

func main() {
	a := &api{model: nn.NewLinear(50, 7)}
	a.model.Eval()
	http.Handle("/classify", a)
	http.HandleFunc("/debug", func(w http.ResponseWriter, r *http.Request) {
		a.underWay.Range(func(k, v any) bool {
			fmt.Fprintln(w, k, v.(*torch.Tensor).Shape())
			return true
		})
	})
	log.Fatal(http.ListenAndServe("localhost:8081", nil))
}
