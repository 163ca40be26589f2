// Package hub downloads files of the Hugging Face hub. It follows Python's package
// huggingface_hub and shares its cache: neither downloads what the other one has.
//
//	dir, err := hub.Snapshot(ctx, "HuggingFaceTB/SmolLM2-135M-Instruct")
//	path, err := hub.File(ctx, "owner/name", "config.json", hub.Revision("v1.0"))
//
// [Snapshot] downloads a repository, [File] one file. Both return paths in the cache. The
// files are links: read them, but do not write to them.
//
// A download that was interrupted continues where it stopped. Every file is checked against
// its hash, SHA-256 or Git's SHA-1, before it gets its name. If the hub does not answer, the
// cache does. Several goroutines and processes, of Go and Python, may download the same file
// at once; one does, the others wait. The access token goes to the hub's host only, never to
// the host that a redirect names.
//
// These environment variables have the same meaning as in Python: HF_HOME, HF_HUB_CACHE,
// HUGGINGFACE_HUB_CACHE, XDG_CACHE_HOME, HF_ENDPOINT, HF_TOKEN, HUGGING_FACE_HUB_TOKEN,
// HF_TOKEN_PATH, HF_HUB_DISABLE_IMPLICIT_TOKEN, HF_HUB_OFFLINE and TRANSFORMERS_OFFLINE.
// They are read at each call. The HTTP proxy variables are Go's.
//
// # Errors
//
// Every error is an [*Error], which says which file of which repository it is about.
// errors.Is tells its kind: see [ErrNotFound] and the other kinds. If the context ends,
// errors.Is also reports the context's error.
package hub
