package label

import (
	"testing"

	"plat/plat"
)

func TestLanguage(t *testing.T) {
	d := newDescriber(t, Options{})
	const (
		english = "The council has voted to close the harbour to all lorries, which is what most of the people in the town had been hoping for."
		german  = "Der Stadtrat hat beschlossen, dass der Hafen für die Lastwagen geschlossen wird, was die meisten in der Stadt schon lange wollten."
		polish  = "Rada miasta postanowiła zamknąć port dla ciężarówek, na co większość mieszkańców od dawna czekała z nadzieją."
	)
	for _, tc := range []struct{ name, claim, text, want string }{
		{"English by its words", "", english, "en"},
		{"German by its words", "", german, "de"},
		{"French by its words", "", "Le conseil de la ville a décidé de fermer le port aux camions, ce que les habitants attendaient depuis longtemps.", "fr"},
		{"Spanish by its words", "", "El consejo de la ciudad ha decidido cerrar el puerto a los camiones, lo que muchos vecinos querían desde hace tiempo.", "es"},
		{"Italian by its words", "", "Il consiglio della città ha deciso di chiudere il porto ai camion, come chiedevano da tempo gli abitanti che vivono lì.", "it"},
		{"Portuguese by its words", "", "O conselho da cidade decidiu fechar o porto aos caminhões, o que não é uma surpresa para os moradores que lá vivem.", "pt"},
		{"Dutch by its words", "", "De gemeenteraad heeft besloten om de haven te sluiten voor vrachtwagens, wat de meeste mensen in de stad al lang wilden.", "nl"},
		{"Swedish by its words", "", "Kommunen har beslutat att hamnen ska stängas för lastbilar, vilket de flesta som bor i staden har väntat på länge.", "sv"},
		{"Finnish by its words", "", "Kaupunki on päättänyt, että satama suljetaan, ja se oli mitä monet olivat toivoneet, mutta kaikki eivät ole samaa mieltä.", "fi"},
		{"Chinese by its script", "", "国务院总理在人民大会堂会见了外国代表团", "zh"},
		{"Japanese by its kana", "", "東京都は新しい環境政策を発表しました", "ja"},
		{"Korean by its script", "", "한국어 위키백과는 한국어로 된 백과사전이다", "ko"},
		{"Russian by its script", "", "Совет города решил закрыть порт для грузовиков", "ru"},
		{"a claim that fits is kept", "en-GB", english, "en"},
		{"a claim in another form", "zh_Hant-TW", "總統府昨天發表聲明關於經濟政策與網路安全的問題", "zh"},
		{"a claim for a language without a stop list", "pl", polish, "pl"},
		{"a claim that the words contradict", "en", german, "de"},
		{"a claim without a list that the words contradict", "pl", english, "en"},
		{"a claim that the script contradicts", "en", "国务院总理在人民大会堂会见了外国代表团来访", "zh"},
		{"Chinese that is Japanese", "zh", "東京都は新しい環境政策を発表しましたのでお知らせします", "ja"},
		{"Ukrainian keeps its claim", "uk", "Рада міста вирішила закрити порт для вантажівок", "uk"},
		{"too little text to contradict", "fr", "OK", "fr"},
		{"Norwegian by another code", "nb-NO", "Kommunen har vedtatt at havnen skal stenges for lastebiler", "no"},
		{"no language", "und", "12345 67890 :-)", ""},
		{"nothing", "", "", ""},
		{"an invalid claim", "<script>", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			snap, _, _, visible := build(t, "p \"?\"")
			snap.Nodes[2].Value, snap.Language = tc.text, tc.claim
			if got := d.Language(snap, visible); got != tc.want {
				t.Errorf("language %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLanguageIgnoresHiddenText(t *testing.T) {
	d := newDescriber(t, Options{})
	snap := &plat.Snapshot{Nodes: []plat.Node{
		{Kind: plat.DocumentNode, Parent: -1, End: 3},
		{Kind: plat.TextNode, Parent: 0, End: 2, Value: "国务院总理在人民大会堂会见了外国代表团"},
		{Kind: plat.TextNode, Parent: 0, End: 3, Value: "The council has voted to close the harbour to all of the lorries"},
	}}
	if got := d.Language(snap, []bool{true, false, true}); got != "en" {
		t.Errorf("language %q, want en", got)
	}
}
