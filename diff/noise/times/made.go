package times

import "strings"

// Phrases for the time that a page took to generate, in English, German, French, Spanish, Italian,
// Portuguese, Dutch, Polish, Russian, Swedish and Czech: regular expressions, separated by spaces.
const (
	these    = `the this diese die der cette la le esta esse questa deze ta эта denna tato`
	pages    = `(?:web)?page site request document seite anfrage page requête página solicitud pagina richiesta pedido pagina verzoek strona żądanie страница запрос sidan stránka`
	was      = `was is were wurde ist a\s+été est fue ha\s+sido è\s+stata foi werd is została была är byla`
	made     = `generated rendered created processed produced executed served built loaded generation rendering load generiert erzeugt erstellt gerendert geladen générée? créée? chargée? generad[oa] creada cargada generat[oa] creata caricata gerad[oa] criada carregada gegenereerd aangemaakt geladen wygenerowan[oa] utworzona сгенерирована? сгенерировано создана genererad skapad vygenerován[ao]`
	timeWord = `time zeit`
	within   = `in within after innerhalb\s+von nach en dans após em w\s+ciągu через за på na v\s+čase`
)

// milliseconds are names of milliseconds.
var milliseconds = strings.Fields(`ms msec msecs millisecond milliseconds millisekunden millisecondes milisegundos millisecondi мс 毫秒 ミリ秒`)
