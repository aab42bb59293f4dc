package spec_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/spec"
)

// Results skip the conversion of blocks for the versions from NewestBlocks on.
func TestTheNewestBlocksHaveEveryType(t *testing.T) {
	t.Parallel()
	for _, block := range spec.BlockTypes {
		if block.Since > spec.NewestBlocks {
			t.Errorf("%s has the type %s first; set NewestBlocks to it", block.Since, block.Name)
		}
		if older := block.Since > spec.Version20241105; older != (block.Fallback != nil) {
			t.Errorf("the type %s is of %s, and whether it has a fallback: %t", block.Name, block.Since, !older)
		}
	}
}

func TestAClientGetsTextForATypeThatItsVersionLacks(t *testing.T) {
	t.Parallel()
	for _, block := range spec.BlockTypes {
		raw := `{"type":"` + block.Name + `","uri":"a:b","mimeType":"c/d"}`
		for v := spec.Version20241105; v <= spec.Newest; v++ {
			want := `{"type":"` + block.Name + `","uri":"a:b","mimeType":"c/d"}`
			if v < block.Since {
				want = string(spec.AppendText(nil, block.Fallback(spec.ParseObject([]byte(raw)))))
			}
			if got := string(spec.DowngradeBlock([]byte(raw), v)); got != want {
				t.Errorf("%s in %s is %s, want %s", block.Name, v, got, want)
			}
		}
	}
}

func TestBlocksHaveTheMembersOfTheVersion(t *testing.T) {
	t.Parallel()
	for newest, older := range map[string][3]string{ // 2025-06-18, 2025-03-26, 2024-11-05
		`{"type":"text","text":"t","annotations":{"priority":1,"lastModified":"2026"},"_meta":{"k":1}}`: {
			`{"type":"text","text":"t","annotations":{"priority":1,"lastModified":"2026"},"_meta":{"k":1}}`,
			`{"type":"text","text":"t","annotations":{"priority":1}}`, `{"type":"text","text":"t","annotations":{"priority":1}}`,
		},
		`{"type":"resource_link","uri":"a://b","name":"b","icons":[1]}`: {
			`{"type":"resource_link","uri":"a://b","name":"b"}`, `{"type":"text","text":"a://b"}`, `{"type":"text","text":"a://b"}`,
		},
		`{"type":"audio","data":"AQ==","mimeType":"audio/wav"}`: {
			`{"type":"audio","data":"AQ==","mimeType":"audio/wav"}`, `{"type":"audio","data":"AQ==","mimeType":"audio/wav"}`,
			`{"type":"text","text":"[audio of type audio/wav, which this protocol version can't carry]"}`,
		},
		`{"type":"resource","resource":{"uri":"a","text":"t","_meta":{"k":1}}}`: {
			`{"type":"resource","resource":{"uri":"a","text":"t","_meta":{"k":1}}}`, `{"type":"resource","resource":{"uri":"a","text":"t"}}`,
			`{"type":"resource","resource":{"uri":"a","text":"t"}}`,
		},
	} {
		shapes{v20260728: newest, v20251125: newest, v20250618: older[0], v20250326: older[1], v20241105: older[2]}.check(t, spec.DowngradeBlock, newest)
	}
}
