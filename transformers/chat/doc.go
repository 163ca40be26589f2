// Package chat renders the chat templates of the Hugging Face hub: it turns the messages of a
// conversation into the text that a model continues.
//
// [Parse] reads a template, and [Template.Render] gives the same text as apply_chat_template
// of Python's transformers. Templates are written in Jinja; this package has the statements,
// filters, tests and methods that published templates use. Parse returns ErrUnsupported for
// others.
//
// Templates may come from strangers: rendering has limits on its steps, its nesting and its
// memory, and templates reach nothing but the values that they are given. Every error of this
// package is an [*Error].
package chat
