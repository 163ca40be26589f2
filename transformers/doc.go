// Package transformers loads models of the Hugging Face hub by their config.json, runs
// them and generates text. Each Load function has the name of a class of transformers:
// [LoadCausalLM] is AutoModelForCausalLM, and [LoadSentenceTransformer] is the SentenceTransformer of
// sentence-transformers.
package transformers
