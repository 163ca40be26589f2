package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

var shapeOps = goldOps{
	"View":        func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).View(a.ints(1)...)) },
	"ViewAs":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ViewAs(a.x(1))) },
	"ViewDType":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ViewDType(a.dtype(1))) },
	"Reshape":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Reshape(a.ints(1)...)) },
	"ReshapeAs":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ReshapeAs(a.x(1))) },
	"Flatten":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Flatten(a.int(1), a.int(2))) },
	"Ravel":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Ravel()) },
	"Unflatten":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Unflatten(a.int(1), a.ints(2)...)) },
	"Squeeze":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Squeeze(a.ints(1)...)) },
	"Unsqueeze":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Unsqueeze(a.int(1))) },
	"Transpose":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Transpose(a.int(1), a.int(2))) },
	"SwapAxes":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).SwapAxes(a.int(1), a.int(2))) },
	"SwapDims":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).SwapDims(a.int(1), a.int(2))) },
	"T":           func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).T()) },
	"MT":          func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MT()) },
	"MH":          func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MH()) },
	"Permute":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Permute(a.ints(1)...)) },
	"MoveDim":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MoveDim(a.int(1), a.int(2))) },
	"MoveDims":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MoveDims(a.ints(1), a.ints(2))) },
	"Expand":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Expand(a.ints(1)...)) },
	"ExpandAs":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ExpandAs(a.x(1))) },
	"BroadcastTo": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).BroadcastTo(a.ints(1)...)) },
	"Narrow":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Narrow(a.int(1), a.int(2), a.int(3))) },
	"Select":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Select(a.int(1), a.int(2))) },
	"Unfold":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Unfold(a.int(1), a.int(2), a.int(3))) },
	"AsStrided": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).AsStrided(a.ints(1), a.ints(2), a.int(3)))
	},
	"Diagonal": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Diagonal(torch.Offset(a.int(1)), torch.Dim1(a.int(2)), torch.Dim2(a.int(3))))
	},
	"AtLeast1d":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).AtLeast1d()) },
	"AtLeast2d":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).AtLeast2d()) },
	"AtLeast3d":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).AtLeast3d()) },
	"ViewOfT":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Transpose(0, 1).View(a.ints(1)...)) },
	"ReshapeOfT": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Transpose(0, 1).Reshape(a.ints(1)...)) },
	"FlattenOfT": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Transpose(0, 1).Flatten(a.int(1), a.int(2)))
	},
	"SelectOfT": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Transpose(0, 1).Select(a.int(1), a.int(2)))
	},

	"Repeat": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Repeat(a.ints(1)...)) },
	"Tile":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Tile(a.ints(1)...)) },
	"RepeatInterleave": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).RepeatInterleave(a.int(1), torch.Dim(a.int(2))))
	},
	"RepeatInterleaveEach": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).RepeatInterleaveEach(a.x(1), torch.Dim(a.int(2))))
	},
	"Flip":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Flip(a.ints(1)...)) },
	"FlipLR": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).FlipLR()) },
	"FlipUD": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).FlipUD()) },
	"Roll":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Roll(a.ints(1), a.ints(2))) },
	"Rot90":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Rot90(a.int(1), a.int(2), a.int(3))) },
	"Diag":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Diag(torch.Diagonal(a.int(1)))) },
	"DiagEmbed": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).DiagEmbed(torch.Offset(a.int(1)), torch.Dim1(a.int(2)), torch.Dim2(a.int(3))))
	},
	"DiagFlat": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).DiagFlat(torch.Diagonal(a.int(1)))) },
	"Tril":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Tril(torch.Diagonal(a.int(1)))) },
	"Triu":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Triu(torch.Diagonal(a.int(1)))) },
	"SelectScatter": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).SelectScatter(a.x(1), a.int(2), a.int(3)))
	},
	"SliceScatter": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).SliceScatter(a.x(1), a.int(2), a.int(3), a.int(4), a.int(5)))
	},
	"DiagonalScatter": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).DiagonalScatter(a.x(1), torch.Offset(a.int(2)), torch.Dim1(a.int(3)),
			torch.Dim2(a.int(4))))
	},
	"TrilIndices": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.TrilIndices(a.int(0), a.int(1), a.int(2)))
	},
	"TriuIndices": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.TriuIndices(a.int(0), a.int(1), a.int(2)))
	},

	"Cat": func(a *goldArgs) []*torch.Tensor { return goldOut(torch.Cat(a.list(0), torch.Dim(a.int(1)))) },
	"Stack": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.Stack(a.list(0), torch.Dim(a.int(1))))
	},
	"HStack":        func(a *goldArgs) []*torch.Tensor { return goldOut(torch.HStack(a.list(0)...)) },
	"VStack":        func(a *goldArgs) []*torch.Tensor { return goldOut(torch.VStack(a.list(0)...)) },
	"DStack":        func(a *goldArgs) []*torch.Tensor { return goldOut(torch.DStack(a.list(0)...)) },
	"ColumnStack":   func(a *goldArgs) []*torch.Tensor { return goldOut(torch.ColumnStack(a.list(0)...)) },
	"BlockDiag":     func(a *goldArgs) []*torch.Tensor { return goldOut(torch.BlockDiag(a.list(0)...)) },
	"CartesianProd": func(a *goldArgs) []*torch.Tensor { return goldOut(torch.CartesianProd(a.list(0)...)) },
	"Meshgrid": func(a *goldArgs) []*torch.Tensor {
		return torch.Meshgrid(a.list(1), torch.Indexing(a.str(0)))
	},
	"BroadcastTensors": func(a *goldArgs) []*torch.Tensor { return torch.BroadcastTensors(a.list(0)...) },
	"Combinations": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Combinations(a.int(1), torch.WithReplacement(a.bool(2))))
	},
	"Split":         func(a *goldArgs) []*torch.Tensor { return a.x(0).Split(a.int(1), torch.Dim(a.int(2))) },
	"SplitSizes":    func(a *goldArgs) []*torch.Tensor { return a.x(0).SplitSizes(a.ints(1), torch.Dim(a.int(2))) },
	"Chunk":         func(a *goldArgs) []*torch.Tensor { return a.x(0).Chunk(a.int(1), torch.Dim(a.int(2))) },
	"TensorSplit":   func(a *goldArgs) []*torch.Tensor { return a.x(0).TensorSplit(a.int(1), torch.Dim(a.int(2))) },
	"TensorSplitAt": func(a *goldArgs) []*torch.Tensor { return a.x(0).TensorSplitAt(a.ints(1), torch.Dim(a.int(2))) },
	"Unbind":        func(a *goldArgs) []*torch.Tensor { return a.x(0).Unbind(torch.Dim(a.int(1))) },

	"Gather": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Gather(a.int(1), a.x(2))) },
	"TakeAlongDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).TakeAlongDim(a.x(1), torch.Dim(a.int(2))))
	},
	"Take":         func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Take(a.x(1))) },
	"IndexSelect":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).IndexSelect(a.int(1), a.x(2))) },
	"MaskedSelect": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MaskedSelect(a.x(1))) },
	"Nonzero":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Nonzero()) },
	"ArgWhere":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ArgWhere()) },
	"NonzeroTuple": func(a *goldArgs) []*torch.Tensor { return a.x(0).NonzeroTuple() },

	"Scatter": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Scatter(a.int(1), a.x(2), a.x(3))) },
	"Scatter_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Scatter_(a.int(1), a.x(2), a.x(3)))
	},
	"ScatterScalar": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ScatterScalar(a.int(1), a.x(2), a.any(3)))
	},
	"ScatterScalar_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().ScatterScalar_(a.int(1), a.x(2), a.any(3)))
	},
	"ScatterAdd": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ScatterAdd(a.int(1), a.x(2), a.x(3))) },
	"ScatterAdd_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().ScatterAdd_(a.int(1), a.x(2), a.x(3)))
	},
	"ScatterReduce": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ScatterReduce(a.int(1), a.x(2), a.x(3), torch.Reduce(a.str(4)),
			torch.IncludeSelf(a.bool(5))))
	},
	"ScatterReduce_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().ScatterReduce_(a.int(1), a.x(2), a.x(3), torch.Reduce(a.str(4)),
			torch.IncludeSelf(a.bool(5))))
	},
	"IndexAdd": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).IndexAdd(a.int(1), a.x(2), a.x(3))) },
	"IndexAdd_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().IndexAdd_(a.int(1), a.x(2), a.x(3)))
	},
	"IndexCopy": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).IndexCopy(a.int(1), a.x(2), a.x(3))) },
	"IndexCopy_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().IndexCopy_(a.int(1), a.x(2), a.x(3)))
	},
	"IndexFill": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).IndexFill(a.int(1), a.x(2), a.any(3))) },
	"IndexFill_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().IndexFill_(a.int(1), a.x(2), a.any(3)))
	},
	"IndexReduce": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IndexReduce(a.int(1), a.x(2), a.x(3), torch.Reduce(a.str(4)),
			torch.IncludeSelf(a.bool(5))))
	},
	"IndexReduce_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().IndexReduce_(a.int(1), a.x(2), a.x(3), torch.Reduce(a.str(4)),
			torch.IncludeSelf(a.bool(5))))
	},
	"MaskedScatter": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MaskedScatter(a.x(1), a.x(2))) },
	"MaskedScatter_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().MaskedScatter_(a.x(1), a.x(2)))
	},
	"Put": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Put(a.x(1), a.x(2), torch.Accumulate(a.bool(3))))
	},
	"Put_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Put_(a.x(1), a.x(2), torch.Accumulate(a.bool(3))))
	},

	"Sort": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Sort(torch.Dim(a.int(1)), torch.Descending(a.bool(2))))
	},
	"SortStable": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Sort(torch.Dim(a.int(1)), torch.Descending(a.bool(2)), torch.Stable(true)))
	},
	"ArgSort": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ArgSort(torch.Dim(a.int(1)), torch.Descending(a.bool(2))))
	},
	"ArgSortStable": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ArgSort(torch.Dim(a.int(1)), torch.Descending(a.bool(2)), torch.Stable(true)))
	},
	"Msort": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Msort()) },
	"TopK": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).TopK(a.int(1), torch.Dim(a.int(2)), torch.Largest(a.bool(3))))
	},
	"SearchSorted": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.SearchSorted(a.x(0), a.x(1), torch.Right(a.bool(2))))
	},
	"Bucketize": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.Bucketize(a.x(0), a.x(1), torch.Right(a.bool(2))))
	},

	"Squeeze_":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Squeeze_()) },
	"Unsqueeze_": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Unsqueeze_(a.int(1))) },
	"Transpose_": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Transpose_(a.int(1), a.int(2))) },
	"T_":         func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().T_()) },
	"Tril_":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Tril_(torch.Diagonal(a.int(1)))) },
	"Triu_":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Triu_(torch.Diagonal(a.int(1)))) },
	"CumSum_":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().CumSum_(a.int(1))) },
	"CumProd_":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().CumProd_(a.int(1))) },
	"Resize_":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Resize_(a.ints(1)...)) },
}

func TestShapesLikePython(t *testing.T) { runGolden(t, "shape.json", shapeOps, 8) }

func TestEveryShapeOperatorHasGoldens(t *testing.T) {
	checkGoldCover(t, shapeOps, "shape_view.go", "shape_repeat.go", "shape_join.go", "shape_split.go",
		"index_gather.go", "index_scatter.go", "index_scatter_reduce.go", "shape_diagonal.go", "index_sort.go",
		"index_search.go", "shape_inplace.go")
}
