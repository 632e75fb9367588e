/**
 * A language of the generated metadata: its code, its words, and how a sentence is put together.
 */
export interface Language {
  readonly code: string;
  readonly words: readonly string[];
  readonly space: string;
  readonly stop: string;
  /** Share of the records. */
  readonly weight: number;
}

export const LANGUAGES: readonly Language[] = [
  language(
    'en',
    62,
    ' ',
    '.',
    `of the in and for with from under between measured samples sediment catalyst spectra climate
    regional dataset observed temperature species population microscopy sequence analysis response
    coastal forest
    archive survey interview protein crystal structure neutron simulation ocean model coefficient
    distribution growth
    treatment evidence historical network "in situ" p<0.05 R&D CO₂ μm ±2σ naïve`,
  ),
  language(
    'de',
    9,
    ' ',
    '.',
    `der die das und mit für über zwischen Messung Proben Untersuchung Verfahren Ergebnisse Gewässer
    Straße Bevölkerung Größe Übergang Schätzung Geschichte Bildung Prüfung ähnlich „Grundlagen“
    Wärme Fläche`,
  ),
  language(
    'fr',
    6,
    ' ',
    '.',
    `de la le les et dans pour avec entre données échantillons forêt élevée température étude modèle
    réponse côtière séquence analyse œuvre archéologie évaluation où français «corpus» à partir`,
  ),
  language(
    'pl',
    4,
    ' ',
    '.',
    `w i na do dla oraz badania próbki źródło społeczność wieś klub pomiędzy częstość rośliny
    środowisko zależność wyników ćwiczenia łąka żywność`,
  ),
  language(
    'ru',
    6,
    ' ',
    '.',
    `и в на для из между исследование образцы температура население данные анализ развитие вода
    структура модель история язык результаты показатели`,
  ),
  language(
    'zh',
    7,
    '',
    '。',
    `研究 数据 样品 温度 分析 方法 结果 模型 气候 海洋 森林 结构 人口 历史 教育 发展 影响 测量 分布 𠮷野 关系`,
  ),
  language(
    'ar',
    3,
    ' ',
    '.',
    `في من على بين دراسة بيانات تحليل عينات درجة الحرارة نموذج تاريخ السكان المياه البيئة نتائج
    تطوير`,
  ),
  language(
    'ja',
    3,
    '',
    '。',
    `データ 研究 の に は 測定 試料 解析 気候 地震 観測 分布 モデル 結晶 構造 🌊 🧬 歴史 資料 調査`,
  ),
];

export const FAMILY_NAMES =
  `Nguyen García Müller Smith Kowalska Иванов 王 田中 Haddad O'Neill Øvergård Šimůnek Dąbrowski Silva
  Okafor Fernández Theron Lounglawan Rossi van_der_Berg Çelik Þórsson Akromov Schmidt Dubois Kim 李
    Petrov`
    .split(/\s+/)
    .map((name) => name.replaceAll('_', ' '));

export const GIVEN_NAMES =
  `Ana Björn Chidi Élodie Francis Grzegorz 美咲 伟 Ольга Yusuf Zoë Pieter Néstor Maria_T. J._R. Łucja
  Thị_Hương Aoife Ingrid Mehmet Sofía Karl-Heinz`
    .split(/\s+/)
    .map((name) => name.replaceAll('_', ' '));

/** Organisations with their ROR ids. */
export const ORGANISATIONS: readonly (readonly [name: string, ror: string])[] = [
  ['California Institute of Technology', '05dxps055'],
  ['University of Oxford', '052gg0110'],
  ['Imperial College London', '041kmwe10'],
  ['Cornell University', '05bnh6r87'],
  ['KTH Royal Institute of Technology', '026vcq606'],
  [
    'Eidgenössische Technische Hochschule Zürich, Departement für Umweltsystemwissenschaften',
    '05a28rw58',
  ],
  ['Universidade de São Paulo, Instituto de Biociências', '036rp1748'],
  ['Московский государственный университет', '010pmpe69'],
  ['東京大学', '057zh3y96'],
  [
    'Centre national de la recherche scientifique — ' +
      'Unité mixte de recherche "Écologie & évolution"',
    '02feahw73',
  ],
];

const COUNTRIES: Readonly<Record<string, string>> = {
  ...{
    '05dxps055': 'US',
    '052gg0110': 'GB',
    '041kmwe10': 'GB',
    '05bnh6r87': 'US',
    '026vcq606': 'SE',
  },
  ...{
    '05a28rw58': 'CH',
    '036rp1748': 'BR',
    '010pmpe69': 'RU',
    '057zh3y96': 'JP',
    '02feahw73': 'FR',
  },
};

/** The country of an organisation by its ROR id; empty for one that is not known. */
export function countryOf(ror: string): string {
  return COUNTRIES[ror] ?? '';
}

/** ROR ids of funders by their number in the Crossref Funder Registry. */
export const FUNDER_RORS: Readonly<Record<string, string>> = { '501100000780': '00k4n6c32' };

function language(
  code: string,
  weight: number,
  space: string,
  stop: string,
  words: string,
): Language {
  return { code, weight, space, stop, words: words.trim().split(/\s+/) };
}
