package tokenizers_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/gotorch/gotorch/transformers/tokenizers"
)

func Example() {
	tok, err := tokenizers.FromFile("testdata/llama3.json")
	if err != nil {
		log.Fatal(err)
	}
	e, err := tok.Encode("Hello, Größe!")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n%v\n", e.Tokens, e.Offsets)
	text, err := tok.Decode(e.IDs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// ["<|begin_of_text|>" "H" "el" "lo" "," "ĠG" "r" "Ã¶" "ÃŁ" "e" "!" "<|eot_id|>"]
	// [[0 0] [0 1] [1 3] [3 5] [5 6] [6 8] [8 9] [9 10] [10 11] [11 12] [12 13] [0 0]]
	// Hello, Größe!
}

func ExampleTokenizer_NewDecodeStream() {
	tok, err := tokenizers.FromFile("testdata/gpt2.json")
	if err != nil {
		log.Fatal(err)
	}
	e, err := tok.Encode("a 😀")
	if err != nil {
		log.Fatal(err)
	}
	stream := tok.NewDecodeStream()
	for _, id := range e.IDs {
		text, err := stream.Step(id)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q ", text)
	}
	// Output: "a" "" "" " 😀"
}

func ExampleTrainBPE() {
	texts := []string{"low lower lowest", "new newer newest"}
	tok, err := tokenizers.TrainBPE(slices.Values(texts), tokenizers.VocabSize(262), tokenizers.SpecialTokens{"<end>"})
	if err != nil {
		log.Fatal(err)
	}
	e, err := tok.Encode("lowest newest<end>")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", e.Tokens)
	// Output: ["lo" "we" "st" "Ġ" "ne" "we" "st" "<end>"]
}
