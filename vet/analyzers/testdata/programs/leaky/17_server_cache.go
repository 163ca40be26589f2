// An embedding server caches the vector of every text that it has ever received.
package main

import (
	"fmt"
	"log"
	"net/http"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewLinear(256, 128), nn.NewTanh())
	defer model.Close()
	model.Eval()
	cache := map[string]*torch.Tensor{}
	var mu sync.Mutex
	http.HandleFunc("/embed", func(w http.ResponseWriter, r *http.Request) {
		text := r.FormValue("text")
		mu.Lock()
		defer mu.Unlock()
		vec, ok := cache[text]
		if !ok {
			bag := make([]float32, 256)
			for _, b := range []byte(text) {
				bag[b]++
			}
			torch.NoGrad(func() { vec = model.Forward(torch.FromSlice(bag, 1, 256)) })
			cache[text] = vec // want leak
		}
		fmt.Fprintln(w, vec.Float32s())
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
