"""Countries and the regions of the world.

Source: ISO 3166-1 (codes and English short names) and United Nations, Statistics Division, "Standard country or area
codes for statistical use (M49)": codes, names and the region of each country, which are facts. The short names are
complemented by a few common names. Antarctica is in no region and has its own.
"""

REGIONS = {
    "015": ("Northern Africa", "Africa"), "011": ("Western Africa", "Africa"), "014": ("Eastern Africa", "Africa"),
    "017": ("Middle Africa", "Africa"), "018": ("Southern Africa", "Africa"),
    "021": ("Northern America", "Americas"), "029": ("Caribbean", "Americas"),
    "013": ("Central America", "Americas"), "005": ("South America", "Americas"),
    "143": ("Central Asia", "Asia"), "030": ("Eastern Asia", "Asia"), "035": ("South-eastern Asia", "Asia"),
    "034": ("Southern Asia", "Asia"), "145": ("Western Asia", "Asia"),
    "151": ("Eastern Europe", "Europe"), "154": ("Northern Europe", "Europe"), "039": ("Southern Europe", "Europe"),
    "155": ("Western Europe", "Europe"),
    "053": ("Australia and New Zealand", "Oceania"), "054": ("Melanesia", "Oceania"), "057": ("Micronesia", "Oceania"),
    "061": ("Polynesia", "Oceania"), "010": ("Antarctica", "Antarctica"),
}  # fmt: skip
"""The sub-region and its region, by M49 code."""
_COUNTRIES = """
015 DZ DZA 012 Algeria
015 EG EGY 818 Egypt
015 LY LBY 434 Libya
015 MA MAR 504 Morocco
015 SD SDN 729 Sudan
015 TN TUN 788 Tunisia
015 EH ESH 732 Western Sahara
011 BJ BEN 204 Benin
011 BF BFA 854 Burkina Faso
011 CV CPV 132 Cabo Verde;Cape Verde
011 CI CIV 384 Côte d'Ivoire;Ivory Coast
011 GM GMB 270 Gambia
011 GH GHA 288 Ghana
011 GN GIN 324 Guinea
011 GW GNB 624 Guinea-Bissau
011 LR LBR 430 Liberia
011 ML MLI 466 Mali
011 MR MRT 478 Mauritania
011 NE NER 562 Niger
011 NG NGA 566 Nigeria
011 SH SHN 654 Saint Helena, Ascension and Tristan da Cunha;Saint Helena
011 SN SEN 686 Senegal
011 SL SLE 694 Sierra Leone
011 TG TGO 768 Togo
014 IO IOT 086 British Indian Ocean Territory
014 BI BDI 108 Burundi
014 KM COM 174 Comoros
014 DJ DJI 262 Djibouti
014 ER ERI 232 Eritrea
014 ET ETH 231 Ethiopia
014 TF ATF 260 French Southern Territories
014 KE KEN 404 Kenya
014 MG MDG 450 Madagascar
014 MW MWI 454 Malawi
014 MU MUS 480 Mauritius
014 YT MYT 175 Mayotte
014 MZ MOZ 508 Mozambique
014 RE REU 638 Réunion
014 RW RWA 646 Rwanda
014 SC SYC 690 Seychelles
014 SO SOM 706 Somalia
014 SS SSD 728 South Sudan
014 TZ TZA 834 Tanzania, United Republic of;Tanzania;United Republic of Tanzania
014 UG UGA 800 Uganda
014 ZM ZMB 894 Zambia
014 ZW ZWE 716 Zimbabwe
017 AO AGO 024 Angola
017 CM CMR 120 Cameroon
017 CF CAF 140 Central African Republic
017 TD TCD 148 Chad
017 CG COG 178 Congo;Republic of the Congo
017 CD COD 180 Congo, Democratic Republic of the;Democratic Republic of the Congo
017 GQ GNQ 226 Equatorial Guinea
017 GA GAB 266 Gabon
017 ST STP 678 Sao Tome and Principe
018 BW BWA 072 Botswana
018 SZ SWZ 748 Eswatini;Swaziland
018 LS LSO 426 Lesotho
018 NA NAM 516 Namibia
018 ZA ZAF 710 South Africa
021 BM BMU 060 Bermuda
021 CA CAN 124 Canada
021 GL GRL 304 Greenland
021 PM SPM 666 Saint Pierre and Miquelon
021 US USA 840 United States of America;United States
029 AI AIA 660 Anguilla
029 AG ATG 028 Antigua and Barbuda
029 AW ABW 533 Aruba
029 BS BHS 044 Bahamas
029 BB BRB 052 Barbados
029 BQ BES 535 Bonaire, Sint Eustatius and Saba
029 KY CYM 136 Cayman Islands
029 CU CUB 192 Cuba
029 CW CUW 531 Curaçao
029 DM DMA 212 Dominica
029 DO DOM 214 Dominican Republic
029 GD GRD 308 Grenada
029 GP GLP 312 Guadeloupe
029 HT HTI 332 Haiti
029 JM JAM 388 Jamaica
029 MQ MTQ 474 Martinique
029 MS MSR 500 Montserrat
029 PR PRI 630 Puerto Rico
029 BL BLM 652 Saint Barthélemy
029 KN KNA 659 Saint Kitts and Nevis
029 LC LCA 662 Saint Lucia
029 MF MAF 663 Saint Martin (French part)
029 VC VCT 670 Saint Vincent and the Grenadines
029 SX SXM 534 Sint Maarten (Dutch part)
029 TT TTO 780 Trinidad and Tobago
029 TC TCA 796 Turks and Caicos Islands
029 VG VGB 092 Virgin Islands (British);British Virgin Islands
029 VI VIR 850 Virgin Islands (U.S.);United States Virgin Islands
013 BZ BLZ 084 Belize
013 CR CRI 188 Costa Rica
013 SV SLV 222 El Salvador
013 GT GTM 320 Guatemala
013 HN HND 340 Honduras
013 MX MEX 484 Mexico
013 NI NIC 558 Nicaragua
013 PA PAN 591 Panama
005 AR ARG 032 Argentina
005 BO BOL 068 Bolivia, Plurinational State of;Bolivia (Plurinational State of);Bolivia
005 BV BVT 074 Bouvet Island
005 BR BRA 076 Brazil
005 CL CHL 152 Chile
005 CO COL 170 Colombia
005 EC ECU 218 Ecuador
005 FK FLK 238 Falkland Islands (Malvinas);Falkland Islands
005 GF GUF 254 French Guiana
005 GY GUY 328 Guyana
005 PY PRY 600 Paraguay
005 PE PER 604 Peru
005 GS SGS 239 South Georgia and the South Sandwich Islands
005 SR SUR 740 Suriname
005 UY URY 858 Uruguay
005 VE VEN 862 Venezuela, Bolivarian Republic of;Venezuela (Bolivarian Republic of);Venezuela
143 KZ KAZ 398 Kazakhstan
143 KG KGZ 417 Kyrgyzstan
143 TJ TJK 762 Tajikistan
143 TM TKM 795 Turkmenistan
143 UZ UZB 860 Uzbekistan
030 CN CHN 156 China
030 HK HKG 344 Hong Kong
030 JP JPN 392 Japan
030 KP PRK 408 Korea, Democratic People's Republic of;Democratic People's Republic of Korea;North Korea
030 KR KOR 410 Korea, Republic of;Republic of Korea;South Korea
030 MO MAC 446 Macao;Macau
030 MN MNG 496 Mongolia
030 TW TWN 158 Taiwan, Province of China;Taiwan
035 BN BRN 096 Brunei Darussalam;Brunei
035 KH KHM 116 Cambodia
035 ID IDN 360 Indonesia
035 LA LAO 418 Lao People's Democratic Republic;Laos
035 MY MYS 458 Malaysia
035 MM MMR 104 Myanmar;Burma
035 PH PHL 608 Philippines
035 SG SGP 702 Singapore
035 TH THA 764 Thailand
035 TL TLS 626 Timor-Leste;East Timor
035 VN VNM 704 Viet Nam;Vietnam
034 AF AFG 004 Afghanistan
034 BD BGD 050 Bangladesh
034 BT BTN 064 Bhutan
034 IN IND 356 India
034 IR IRN 364 Iran, Islamic Republic of;Iran (Islamic Republic of);Iran
034 MV MDV 462 Maldives
034 NP NPL 524 Nepal
034 PK PAK 586 Pakistan
034 LK LKA 144 Sri Lanka
145 AM ARM 051 Armenia
145 AZ AZE 031 Azerbaijan
145 BH BHR 048 Bahrain
145 CY CYP 196 Cyprus
145 GE GEO 268 Georgia
145 IQ IRQ 368 Iraq
145 IL ISR 376 Israel
145 JO JOR 400 Jordan
145 KW KWT 414 Kuwait
145 LB LBN 422 Lebanon
145 OM OMN 512 Oman
145 PS PSE 275 Palestine, State of;State of Palestine;Palestine
145 QA QAT 634 Qatar
145 SA SAU 682 Saudi Arabia
145 SY SYR 760 Syrian Arab Republic;Syria
145 TR TUR 792 Türkiye;Turkey
145 AE ARE 784 United Arab Emirates
145 YE YEM 887 Yemen
151 BY BLR 112 Belarus
151 BG BGR 100 Bulgaria
151 CZ CZE 203 Czechia;Czech Republic
151 HU HUN 348 Hungary
151 PL POL 616 Poland
151 MD MDA 498 Moldova, Republic of;Republic of Moldova;Moldova
151 RO ROU 642 Romania
151 RU RUS 643 Russian Federation;Russia
151 SK SVK 703 Slovakia
151 UA UKR 804 Ukraine
154 AX ALA 248 Åland Islands
154 DK DNK 208 Denmark
154 EE EST 233 Estonia
154 FO FRO 234 Faroe Islands
154 FI FIN 246 Finland
154 GG GGY 831 Guernsey
154 IS ISL 352 Iceland
154 IE IRL 372 Ireland
154 IM IMN 833 Isle of Man
154 JE JEY 832 Jersey
154 LV LVA 428 Latvia
154 LT LTU 440 Lithuania
154 NO NOR 578 Norway
154 SJ SJM 744 Svalbard and Jan Mayen
154 SE SWE 752 Sweden
154 GB GBR 826 United Kingdom of Great Britain and Northern Ireland;United Kingdom;UK
039 AL ALB 008 Albania
039 AD AND 020 Andorra
039 BA BIH 070 Bosnia and Herzegovina
039 HR HRV 191 Croatia
039 GI GIB 292 Gibraltar
039 GR GRC 300 Greece
039 VA VAT 336 Holy See;Vatican City
039 IT ITA 380 Italy
039 MT MLT 470 Malta
039 ME MNE 499 Montenegro
039 MK MKD 807 North Macedonia;Macedonia
039 PT PRT 620 Portugal
039 SM SMR 674 San Marino
039 RS SRB 688 Serbia
039 SI SVN 705 Slovenia
039 ES ESP 724 Spain
155 AT AUT 040 Austria
155 BE BEL 056 Belgium
155 FR FRA 250 France
155 DE DEU 276 Germany
155 LI LIE 438 Liechtenstein
155 LU LUX 442 Luxembourg
155 MC MCO 492 Monaco
155 NL NLD 528 Netherlands, Kingdom of the;Netherlands;Holland
155 CH CHE 756 Switzerland
053 AU AUS 036 Australia
053 CX CXR 162 Christmas Island
053 CC CCK 166 Cocos (Keeling) Islands
053 HM HMD 334 Heard Island and McDonald Islands
053 NZ NZL 554 New Zealand
053 NF NFK 574 Norfolk Island
054 FJ FJI 242 Fiji
054 NC NCL 540 New Caledonia
054 PG PNG 598 Papua New Guinea
054 SB SLB 090 Solomon Islands
054 VU VUT 548 Vanuatu
057 GU GUM 316 Guam
057 KI KIR 296 Kiribati
057 MH MHL 584 Marshall Islands
057 FM FSM 583 Micronesia, Federated States of;Micronesia (Federated States of);Micronesia
057 NR NRU 520 Nauru
057 MP MNP 580 Northern Mariana Islands
057 PW PLW 585 Palau
057 UM UMI 581 United States Minor Outlying Islands
061 AS ASM 016 American Samoa
061 CK COK 184 Cook Islands
061 PF PYF 258 French Polynesia
061 NU NIU 570 Niue
061 PN PCN 612 Pitcairn
061 WS WSM 882 Samoa
061 TK TKL 772 Tokelau
061 TO TON 776 Tonga
061 TV TUV 798 Tuvalu
061 WF WLF 876 Wallis and Futuna
010 AQ ATA 010 Antarctica
"""
# Names have blanks, so only the four codes before them are split off.
COUNTRIES = [tuple(row.split(" ", 4)) for row in _COUNTRIES.strip().splitlines()]
"""Each country's sub-region, its three codes, and its names separated by semicolons, the short one first."""
