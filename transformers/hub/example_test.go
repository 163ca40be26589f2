package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/transformers/hub"
)

// exampleHub returns a server that answers like the hub, with a model of one file.
func exampleHub() *httptest.Server {
	const text, hash = `{"model_type": "gpt2"}`, "7eb84e812bad01767dcf9cf8a2d84ef428949cad"
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Repo-Commit", commit)
		w.Header().Set("ETag", `"`+hash+`"`)
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_ = json.NewEncoder(w).Encode(map[string]any{
				"sha": commit, "siblings": []map[string]string{{"rfilename": "config.json"}},
			})
			return
		}
		_, _ = fmt.Fprint(w, text)
	}))
}

// Example downloads a model. A second call finds it in the cache.
func Example() {
	server := exampleHub() // without the option Endpoint it is https://huggingface.co
	defer server.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	ctx := context.Background()
	model, err := hub.Snapshot(ctx, "owner/name", hub.AllowPatterns{"*.json", "*.safetensors"},
		hub.Endpoint(server.URL), hub.CacheDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	config, err := hub.File(ctx, "owner/name", "config.json", hub.LocalFilesOnly(true), hub.CacheDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(model), string(text))
	// Output: 0123456789abcdef0123456789abcdef01234567 {"model_type": "gpt2"}
}
