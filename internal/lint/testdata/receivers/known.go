package main

// usable are the types whose zero value may be used, with the reason.
var usable = map[string]string{
	"profiler.AverageList":           "has exported fields",
	"profiler.Event":                 "has exported fields",
	"profiler.EventAvg":              "has exported fields",
	"profiler.EventList":             "has exported fields",
	"jit.NamedTuple":                 "has exported fields",
	"serialization.Dict":             "an empty dict",
	"serialization.StateDict":        "has exported fields",
	"data.CSVDataset":                "its fields say what to read",
	"data.IDX":                       "has exported fields",
	"data.Table":                     "a table without columns",
	"data.WebDataset":                "its fields say what to read",
	"data.WebSample":                 "has exported fields",
	"distributions.ComposeTransform": "a chain without parts",
	"distributions.ReshapeTransform": "takes numbers to numbers",
	"memory.GraphInfo":               "has exported fields",
	"memory.SnapshotData":            "has exported fields",
	"nn.LoadReport":                  "has exported fields",
	"optim.StateDict":                "has exported fields",
	"torch.Raw":                      "a value that BeginRaw returns, whose methods are on the way into native code",
}

// known are the methods that work with a nil receiver, with the reason.
var known = map[string]string{
	"jit.Module.Release":                         "part of Close",
	"jit.Module.Script":                          "there is no program",
	"jit.NamedTuple.Get":                         "there are no fields",
	"serialization.Dict.All":                     "a nil dict is empty",
	"serialization.Dict.Dict":                    "a nil dict is empty",
	"serialization.Dict.Each":                    "a nil dict is empty",
	"serialization.Dict.Get":                     "a nil dict is empty",
	"serialization.Dict.Keys":                    "a nil dict is empty",
	"serialization.Dict.LayerVersion":            "a nil dict is empty",
	"serialization.Dict.Len":                     "a nil dict is empty",
	"serialization.Dict.Names":                   "a nil dict is empty",
	"tensorboard.SummaryWriter.LogDir":           "there is no folder",
	"data.Loader.All":                            "the loop over it panics",
	"data.Loader.AllContext":                     "the loop over it panics",
	"data.Loader.Inputs":                         "the loop over it panics",
	"memory.ForwardStack.UnmarshalJSON":          "encoding/json calls it, never of nil",
	"optim.Base.ParamGroups":                     "there are none",
	"parallel.DistributedDataParallel.JoinGroup": "of a join that panics",
	"parallel.DistributedDataParallel.Release":   "part of Close",
	"torch.Generator.Handle":                     "0 is the default generator",
	"torch.OutOfMemory.String":                   "prints",
	"torch.Raw.End":                              "see usable",
	"torch.Raw.Status":                           "see usable",
	"torch.Raw.Tensor":                           "see usable",
	"torch.Raw.Use":                              "see usable",
	"torch.Raw.Wrap":                             "see usable",
	"torch.Raw.WrapAll":                          "see usable",
	"torch.Tensor.Format":                        "of package fmt, with a state that is not there",
	"torch.Tensor.LogValue":                      "prints",
	"torch.Tensor.IsClosed":                      "nil is closed",
	"torch.Tensor.OptionalHandle":                "of an argument that may be nil",
	"torch.Tensor.OptionalHandleFor":             "of an argument that may be nil",
}

// anywhere are methods that work on every module, even before Init.
var anywhere = map[string]string{
	"ModuleBase":   "is the Base that Init is called of",
	"SetExtraRepr": "how it prints",
	"SetTypeName":  "how it prints",
	"TypeName":     "how it prints",
}
