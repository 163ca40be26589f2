// Package peft fine-tunes models with low-rank adapters (LoRA), as Python's package of the
// same name.
//
//	adapters, err := peft.Add(model, peft.Rank(8), peft.Alpha(16), peft.TargetModules("q_proj", "v_proj"))
//	opt := optim.NewAdamW(adapters.Parameters(), optim.LR(2e-4))
//	... // train the model as usual
//	err = adapters.Save("adapter")
//
// [Add] freezes the model and wraps each layer that matches the pattern in a [Layer], which
// adds the product of two small trained matrices to the layer's result. It wraps nn.Linear,
// nn.Embedding, nn.Conv2d, models.Linear and gpt2.Conv1D, and quant.Linear, whose blocks stay
// quantised (QLoRA). [Load] reads an adapter that Save or Python's save_pretrained wrote.
//
// The model owns the adapters: closing the model closes them.
//
// Configurations that do not fit and files that cannot be read are returned as errors. The
// errors of configurations have the kinds torch.ErrValue and torch.ErrUnsupported, those of
// files torch.ErrFormat, torch.ErrMismatch and fs.ErrNotExist. Functions and methods panic
// with ErrNil for a nil model or option, and with ErrClosed after [Adapters.Unload].
package peft
