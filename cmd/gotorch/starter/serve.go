package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// serve answers requests with the trained model until ctx is done.
func serve(ctx context.Context, c config) error {
	source, err := load(c.data) // the names of the classes
	if err != nil {
		return err
	}
	defer source.Close()
	model, err := trained(c, source)
	if err != nil {
		return err
	}
	defer model.Close()
	batcher := batching.NewBatcher(model.Forward, batching.InputShape{source.inputs}, batching.MaxBatch(64))
	mux := http.NewServeMux()
	mux.Handle("POST /predict", predict(batcher, source.classes))
	server := &http.Server{
		Addr: c.serve, Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute,
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		// Answer the requests that are waiting. The context is done, so this needs another one.
		last, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		stopped <- errors.Join(server.Shutdown(last), batcher.Shutdown(last))
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// trained returns the model with the weights that train has saved.
func trained(c config, source *source) (*nn.Sequential, error) {
	weights, err := safetensors.LoadFile(filepath.Join(c.out, "model.safetensors"))
	if err != nil {
		return nil, err
	}
	model := newModel(source.inputs, int64(len(source.classes)))
	model.Eval()
	return model, model.LoadStateDict(nn.NewStateDict(weights))
}

// predict answers a list of numbers with the likeliest class and the score of each class.
// Requests that arrive at the same time share a forward pass.
func predict(batcher *batching.Batcher, classes []string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var input []float32
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&input); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		scores, err := batcher.DoFloat32s(r.Context(), input)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		best := 0
		for i, s := range scores {
			if s > scores[best] {
				best = i
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"class": classes[best], "scores": scores})
	}
}
