// Package kvcache keeps the keys and values of a language model's earlier tokens, so that
// each new token costs one step instead of a pass over the whole text.
//
//	cache := kvcache.New(model.CacheSpec(), kvcache.Capacity(2048))
//	defer cache.Close()
//	logits := model.Forward(prompt, models.UseCache(cache))
//	logits = model.Forward(next, models.UseCache(cache))
//
// The size of a cache is known before it exists ([Spec.Bytes]). A cache with a [Capacity]
// never grows beyond it. Layers with a window keep only the tokens of the window.
package kvcache
