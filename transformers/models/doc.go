// Package models has what the language models of its subfolders share: the interface of a
// model that predicts the next token, the options of its forward pass, rotary positions,
// masks and activations.
package models
