// An embedding server caches a thousand vectors. When there are more, it drops them all.
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
			if len(cache) >= 1000 {
				for _, v := range cache {
					_ = v.Close()
				}
				clear(cache)
			}
			bag := make([]float32, 256)
			for _, b := range []byte(text) {
				bag[b]++
			}
			torch.NoGrad(func() { vec = model.Forward(torch.FromSlice(bag, 1, 256)) })
			cache[text] = vec
		}
		fmt.Fprintln(w, vec.Float32s())
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
