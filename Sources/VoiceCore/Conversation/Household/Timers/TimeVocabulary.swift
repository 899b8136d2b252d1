/// Words that make it doubtful whether what follows a time is a name: parts of times that are not read, in several
/// languages, and misspelt ones. Pure.
enum TimeVocabulary {
    /// Anywhere in a name.
    static let timeWords = words(
        """
        tmrw tmr tmw tmrrw tmrow tomo tmro tonite nite noonish afternoonish hence earlier twice thrice times repeat repeating \
        repeated recurring alternate alternating biweekly bimonthly fortnightly fortnights quarterly annually nightly meridiem \
        ampm oclock
        """
    )
    /// Anywhere behind a time of day; behind a length they belong to a name: "gym day".
    static let dayWords = words("day days weekday workday holiday holidays nighttime daytime")

    static let foreign = german.union(french).union(otherLanguages)
    private static let german = words(
        """
        uhr heute morgen \u{FC}bermorgen uebermorgen fr\u{FC}h frueh morgens vormittag vormittags mittag mittags nachmittag \
        nachmittags abend abends nacht nachts mitternacht heut gestern stunde stunden std minuten sekunde sekunden sek tage \
        tagen tags woche wochen monat monate monaten montag montags dienstag dienstags mittwoch mittwochs donnerstag \
        donnerstags freitag freitags samstag samstags sonnabend sonnabends sonntag sonntags januar februar m\u{E4}rz maerz \
        juni juli oktober dezember t\u{E4}glich taeglich jeden jede jeder werktag werktags werktage wochentags wochenende \
        wochenenden w\u{F6}chentlich halb viertel dreiviertel vor nach bis oder au\u{DF}er ausser n\u{E4}chsten n\u{E4}chste \
        naechsten kommenden eins zwei drei vier f\u{FC}nf fuenf sechs sieben acht neun zehn elf zw\u{F6}lf zwoelf zwanzig \
        drei\u{DF}ig dreissig vierzig f\u{FC}nfzig weihnachten silvester ostern feiertag feiertags feiertage
        """
    )
    private static let french = words(
        """
        aujourd'hui demain apr\u{E8}s apres matin matins midi soir soirs nuit minuit heure heures seconde secondes jour jours \
        semaine semaines mois lundi lundis mardi mardis mercredi mercredis jeudi jeudis vendredi vendredis samedi samedis \
        dimanche dimanches janvier f\u{E9}vrier fevrier avril juin juillet ao\u{FB}t aout septembre octobre novembre \
        d\u{E9}cembre decembre chaque tous toutes quotidien quotidiennement prochain prochaine demie demi quart moins \
        jusqu'\u{E0} jusqu'au jusque sauf avant deux trois quatre cinq huit onze douze quinze vingt trente \u{E0} no\u{EB}l
        """
    )
    private static let otherLanguages = words(
        """
        hoy ma\u{F1}ana manana tarde noche mediod\u{ED}a medianoche lunes martes mi\u{E9}rcoles miercoles jueves viernes \
        s\u{E1}bado sabado domingo hora horas minuto minutos segundo segundos diciembre enero oggi domani mattina sera \
        mezzogiorno mezzanotte ogni luned\u{EC} marted\u{EC} mercoled\u{EC} gioved\u{EC} venerd\u{EC} domenica ore vandaag \
        morgenochtend ochtend middag avond maandag dinsdag woensdag donderdag vrijdag zaterdag zondag uur elke hoje \
        amanh\u{E3} manh\u{E3} noite segunda ter\u{E7}a quarta quinta sexta dzisiaj jutro pojutrze z\u{ED}tra dnes zajtra \
        holnap imorgon imorgen yar\u{131}n bug\u{FC}n domattina dopodomani m\u{E2}ine huomenna sutra jutri \
        sobota sobot\u{119} sobotu subota subotu nedelja nedeljo nedelju nede\u{13E}a ned\u{11B}le ned\u{11B}li niedziela \
        niedziel\u{119} poniedzia\u{142}ek poniedzialek pond\u{11B}l\u{ED} pondeli pondelok ponedeljek ponedjeljak \
        \u{FA}ter\u{FD} utorok utorak wtorek \u{15B}roda \u{15B}rod\u{119} sroda st\u{159}eda streda sreda srijeda czwartek \
        \u{10D}tvrtek \u{10D}etvrtak \u{161}tvrtok pi\u{105}tek piatek p\u{E1}tek piatok petak miercuri vineri \
        s\u{E2}mb\u{103}t\u{103} sambata duminic\u{103} duminica h\u{E9}tf\u{151} szerda cs\u{FC}t\u{F6}rt\u{F6}k \
        p\u{E9}ntek szombat vas\u{E1}rnap maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai pazartesi \
        \u{E7}ar\u{15F}amba carsamba per\u{15F}embe persembe cumartesi dilluns dimarts dimecres dijous divendres dissabte \
        diumenge
        """
    )

    /// Anywhere behind a time of day: zones, feasts, other days.
    static let clockWords = words(
        """
        utc gmt cet cest eet eest edt cst cdt mst mdt pst pdt bst jst kst aest aedt acst awst nzst nzdt hkt sgt msk zulu \
        hrs hr h christmas xmas easter halloween thanksgiving hanukkah valentine next
        """
    ).union(["est", "ist", "et", "pt", "ct", "mt"])

    /// The beginning of the name of a zone: "Europe/Berlin".
    static let regions: Set<String> = ["europe", "america", "asia", "africa", "australia", "pacific", "atlantic"]
    /// Behind a time, they add nothing to it.
    static let fillers = words("please thanks sharp exactly precisely ish approximately local once")
    /// Behind a time of day they may belong to it: in front of "time", or alone.
    static let places = words(
        """
        local standard daylight summer winter eastern western central pacific mountain atlantic greenwich universal european \
        london paris berlin vienna zurich madrid rome lisbon dublin athens moscow istanbul dubai delhi india china beijing \
        shanghai tokyo japan seoul singapore sydney melbourne auckland york chicago denver angeles toronto us uk german \
        french british american indian australian amsterdam brussels stockholm oslo helsinki warsaw prague
        """
    )

    /// Anywhere in a name that nothing introduces.
    static let conjunctions = words("or until till except unless excluding besides but")
    /// Alone behind a time of day, they say when or how often.
    static let lone = words(
        """
        loop looped looping ongoing continuous continuously constantly endless endlessly nonstop usual regular regularly \
        permanent wknd wkend wkdy eod eow eom cob asap sunset sunrise dusk dawn luni mar\u{21B}i marti joi kedd cuma pazar sal\u{131}
        """
    )
    /// In front of a name that nothing introduces.
    static let openings = words(
        """
        before after from since starting beginning in on at by during within about around half quarter third halves early \
        late later sooner plus less not only every each this past eve p m t z
        """
    )
    static let prepositions = words("in at by on to till until from past after before around about or \u{2013}")
    static let ordinals = words(
        """
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth \
        sixteenth seventeenth eighteenth nineteenth twentieth thirtieth last
        """
    )
    /// Only if the name is nothing else.
    static let abbreviations = words(
        """
        mo di mi do fr sa so tu we th su m t w f s lu ma me je ve lun mar mer jeu ven sam dim mon tue wed thu fri sat sun \
        tom morn aft arvo mwf mf tth eve aug jan feb apr may march jun jul sep sept oct nov dec et pt ct mt
        """
    )

    private static let months = words(
        "january february april june july august september october november december"
    )

    /// The full name of a month, except "march" and "may".
    static func isMonth(_ word: String) -> Bool { months.contains(word) }

    /// A month beside a number, in any of the languages, also misspelt.
    static func isMonthLike(_ word: String) -> Bool {
        let others: Set = [
            "mai", "mars", "okt", "dez", "m\u{E4}r", "mrz", "d\u{E9}c", "f\u{E9}v", "juil", "avr", "sept",
        ]
        return TimeTable.isMonth(word) || others.contains(word) || months.contains { isNear(word, $0) }
    }

    /// A unit beside a number, also misspelt.
    static func isUnitLike(_ word: String) -> Bool {
        if TimeTable.units[word] != nil { return true }
        if word.utf8.count <= 3 {
            return ["mn", "mi", "sc", "se", "mim", "nin", "mns", "scs", "ms", "x"].contains(word)
        }
        let names = ["mins", "secs", "hour", "hours", "minute", "minutes", "second", "seconds"]
        return names.contains { isNear(word, $0) }
    }

    /// "pn", "mp", "amm": am or pm with one letter wrong.
    static func isHalfLike(_ word: String) -> Bool {
        if word.utf8.count == 3 {
            return ["amm", "aam", "pmm", "ppm", "apm", "pam", "pmn", "amn"].contains(word)
        }
        guard word.utf8.count == 2, word.allSatisfy({ $0.isASCII && $0.isLetter }) else { return false }
        return ["mp", "ma"].contains(word) || word.hasSuffix("m") || word.hasPrefix("p")
            || ["an", "ak", "aj"].contains(word)
    }

    /// Several days or a part of the week in one word ("schooldays", "workweek"), the next day in any spelling ("tomoz",
    /// "tmoz", "overmorrow"), a day in "-dag", a German day with its half ("montagabend"), or nearly a word of another
    /// language.
    static func isDayLike(_ word: String) -> Bool {
        if ["days", "week", "weeks", "weekend", "nights", "mornings", "evenings", "morrow", "dag", "dags"].contains(
            where: word.hasSuffix
        )
            || ["tomo", "tm"].contains(where: word.hasPrefix) || ["always", "forever"].contains(word)
        {
            return true
        }
        let isHalf = ["abend", "morgen", "mittag", "nacht", "fr\u{FC}h", "frueh"].contains(where: word.hasSuffix)
        let days = [
            "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag", "morgen", "heut",
            "\u{FC}bermorgen",
        ]
        if isHalf, days.contains(where: { word.hasPrefix($0) && word != $0 }) { return true }
        return word.utf8.count >= 6 && foreign.contains { $0.utf8.count >= 6 && isNear(word, $0) }
    }

    // MARK: Misspelt words

    private static let spelt: [String] = """
        tomorrow tonight today morning afternoon evening midnight midday night weekday weekdays workday workdays weekend \
        weekends everyday every daily weekly monthly monday tuesday wednesday thursday friday saturday sunday mondays tuesdays \
        wednesdays thursdays fridays saturdays sundays minute minutes seconds hours o'clock thirty forty fifty twenty eleven \
        twelve thirteen fourteen fifteen
        """.split(separator: " ").map(String.init)

    /// Ordinary words that one wrong letter would make one of those.
    private static let ordinary = words(
        "dairy daisy dally emery sundae sundaes toddy toady mourning mooring forte nifty minuet minuets ever entry warning"
    )

    /// Whether a word is nearly one of those of which times are made.
    static func isMisspelt(_ word: String) -> Bool {
        guard word.utf8.count >= 4, !ordinary.contains(word) else { return false }
        return spelt.contains { isNear(word, $0) }
    }

    /// One letter wrong, missing, added or exchanged; two in a long word.
    private static func isNear(_ word: String, _ other: String) -> Bool {
        let (one, two) = (Array(word.unicodeScalars), Array(other.unicodeScalars))
        let most = two.count >= 8 || two.count >= 7 && other.hasSuffix("day") ? 2 : 1
        guard abs(one.count - two.count) <= most else { return false }
        // Short words differ from many others in their first letter alone.
        guard two.count >= 7 || one.first == two.first else { return false }
        return distance(one, two) <= most
    }

    /// The number of insertions, deletions, substitutions and exchanges of neighbours between two short words.
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var line = [row + 1]
            for column in other.indices {
                let isSame = one[row] == other[column]
                var least = min(last[column + 1] + 1, line[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    least = min(least, before[column - 1] + 1)
                }
                line.append(least)
            }
            (before, last) = (last, line)
        }
        return last[other.count]
    }

    private static func words(_ list: String) -> Set<String> { Set(list.split(separator: " ").map(String.init)) }
}
