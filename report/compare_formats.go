package report

import "io"

func compareFormats() []savedFormat[*Comparison] {
	return []savedFormat[*Comparison]{
		{"text", ".txt", WriteCompareText, oneAfterAnother(WriteCompareText)},
		{"markdown", ".md", WriteCompareMarkdown, nil},
		{"json", ".json", WriteCompareJSON, nil},
		{"csv", ".csv", WriteCompareCSV, nil},
		{"html", ".html", paged(comparePage), nil},
		{"svg", ".svg", pictured(comparePicture, (*picture).svg), nil},
		{"png", ".png", pictured(comparePicture, (*picture).png), nil},
		{"pdf", ".pdf", pictured(comparePicture, (*picture).pdf), nil},
	}
}

// CompareFormat is the format of comparisons called name. The error names all.
func CompareFormat(name string) (func(io.Writer, *Comparison) error, error) {
	f, err := named(compareFormats(), name, "a comparison")
	return f.write, err
}

// CompareFormatOf is the format that a file name's ending chooses. The error names
// all endings.
func CompareFormatOf(filename string) (func(io.Writer, *Comparison) error, error) {
	f, err := ended(compareFormats(), filename, "a comparison")
	return f.write, err
}

func savedCompareFormats() []savedFormat[*SavedComparison] {
	return []savedFormat[*SavedComparison]{
		{"text", ".txt", WriteSavedText, nil},
		{"markdown", ".md", WriteSavedMarkdown, nil},
	}
}

// SavedCompareFormat is the format of saved runs side by side called name. The error
// names all.
func SavedCompareFormat(name string) (func(io.Writer, *SavedComparison) error, error) {
	f, err := named(savedCompareFormats(), name, "saved runs side by side")
	return f.write, err
}

// SavedCompareFormatOf is the format that a file name's ending chooses. The error
// names all endings.
func SavedCompareFormatOf(filename string) (func(io.Writer, *SavedComparison) error, error) {
	f, err := ended(savedCompareFormats(), filename, "saved runs side by side")
	return f.write, err
}
