do goto l0 end
do goto l1 end
do goto l2 end
do goto l3 end
do goto l4 end
do goto l5 end
do goto l6 end
do goto l7 end
do goto l8 end
do goto l9 end
do goto l10 end
do goto l11 end
do goto l12 end
do goto l13 end
do goto l14 end
do goto l15 end
do goto l16 end
do goto l17 end
do goto l18 end
do goto l19 end
do goto l20 end
do goto l21 end
do goto l22 end
do goto l23 end
do goto l24 end
do goto l25 end
do goto l26 end
do goto l27 end
do goto l28 end
do goto l29 end
do goto l30 end
do goto l31 end
do goto l32 end
do goto l33 end
do goto l34 end
do goto l35 end
do goto l36 end
do goto l37 end
do goto l38 end
do goto l39 end
do goto l40 end
do goto l41 end
do goto l42 end
do goto l43 end
do goto l44 end
do goto l45 end
do goto l46 end
do goto l47 end
do goto l48 end
do goto l49 end
do goto l50 end
do goto l51 end
do goto l52 end
do goto l53 end
do goto l54 end
do goto l55 end
do goto l56 end
do goto l57 end
do goto l58 end
do goto l59 end
do goto l60 end
do goto l61 end
do goto l62 end
do goto l63 end
do goto l64 end
do goto l65 end
do goto l66 end
do goto l67 end
do goto l68 end
do goto l69 end
do goto l70 end
do goto l71 end
do goto l72 end
do goto l73 end
do goto l74 end
do goto l75 end
do goto l76 end
do goto l77 end
do goto l78 end
do goto l79 end
do goto l80 end
do goto l81 end
do goto l82 end
do goto l83 end
do goto l84 end
do goto l85 end
do goto l86 end
do goto l87 end
do goto l88 end
do goto l89 end
do goto l90 end
do goto l91 end
do goto l92 end
do goto l93 end
do goto l94 end
do goto l95 end
do goto l96 end
do goto l97 end
do goto l98 end
do goto l99 end
do goto l100 end
do goto l101 end
do goto l102 end
do goto l103 end
do goto l104 end
do goto l105 end
do goto l106 end
do goto l107 end
do goto l108 end
do goto l109 end
do goto l110 end
do goto l111 end
do goto l112 end
do goto l113 end
do goto l114 end
do goto l115 end
do goto l116 end
do goto l117 end
do goto l118 end
do goto l119 end
do goto l120 end
do goto l121 end
do goto l122 end
do goto l123 end
do goto l124 end
do goto l125 end
do goto l126 end
do goto l127 end
do goto l128 end
do goto l129 end
do goto l130 end
do goto l131 end
do goto l132 end
do goto l133 end
do goto l134 end
do goto l135 end
do goto l136 end
do goto l137 end
do goto l138 end
do goto l139 end
do goto l140 end
do goto l141 end
do goto l142 end
do goto l143 end
do goto l144 end
do goto l145 end
do goto l146 end
do goto l147 end
do goto l148 end
do goto l149 end
do goto l150 end
do goto l151 end
do goto l152 end
do goto l153 end
do goto l154 end
do goto l155 end
do goto l156 end
do goto l157 end
do goto l158 end
do goto l159 end
do goto l160 end
do goto l161 end
do goto l162 end
do goto l163 end
do goto l164 end
do goto l165 end
do goto l166 end
do goto l167 end
do goto l168 end
do goto l169 end
do goto l170 end
do goto l171 end
do goto l172 end
do goto l173 end
do goto l174 end
do goto l175 end
do goto l176 end
do goto l177 end
do goto l178 end
do goto l179 end
do goto l180 end
do goto l181 end
do goto l182 end
do goto l183 end
do goto l184 end
do goto l185 end
do goto l186 end
do goto l187 end
do goto l188 end
do goto l189 end
do goto l190 end
do goto l191 end
do goto l192 end
do goto l193 end
do goto l194 end
do goto l195 end
do goto l196 end
do goto l197 end
do goto l198 end
do goto l199 end
do goto l200 end
do goto l201 end
do goto l202 end
do goto l203 end
do goto l204 end
do goto l205 end
do goto l206 end
do goto l207 end
do goto l208 end
do goto l209 end
do goto l210 end
do goto l211 end
do goto l212 end
do goto l213 end
do goto l214 end
do goto l215 end
do goto l216 end
do goto l217 end
do goto l218 end
do goto l219 end
do goto l220 end
do goto l221 end
do goto l222 end
do goto l223 end
do goto l224 end
do goto l225 end
do goto l226 end
do goto l227 end
do goto l228 end
do goto l229 end
do goto l230 end
do goto l231 end
do goto l232 end
do goto l233 end
do goto l234 end
do goto l235 end
do goto l236 end
do goto l237 end
do goto l238 end
do goto l239 end
do goto l240 end
do goto l241 end
do goto l242 end
do goto l243 end
do goto l244 end
do goto l245 end
do goto l246 end
do goto l247 end
do goto l248 end
do goto l249 end
do goto l250 end
do goto l251 end
do goto l252 end
do goto l253 end
do goto l254 end
do goto l255 end
do goto l256 end
do goto l257 end
do goto l258 end
do goto l259 end
do goto l260 end
do goto l261 end
do goto l262 end
do goto l263 end
do goto l264 end
do goto l265 end
do goto l266 end
do goto l267 end
do goto l268 end
do goto l269 end
do goto l270 end
do goto l271 end
do goto l272 end
do goto l273 end
do goto l274 end
do goto l275 end
do goto l276 end
do goto l277 end
do goto l278 end
do goto l279 end
do goto l280 end
do goto l281 end
do goto l282 end
do goto l283 end
do goto l284 end
do goto l285 end
do goto l286 end
do goto l287 end
do goto l288 end
do goto l289 end
do goto l290 end
do goto l291 end
do goto l292 end
do goto l293 end
do goto l294 end
do goto l295 end
do goto l296 end
do goto l297 end
do goto l298 end
do goto l299 end
do goto l300 end
do goto l301 end
do goto l302 end
do goto l303 end
do goto l304 end
do goto l305 end
do goto l306 end
do goto l307 end
do goto l308 end
do goto l309 end
do goto l310 end
do goto l311 end
do goto l312 end
do goto l313 end
do goto l314 end
do goto l315 end
do goto l316 end
do goto l317 end
do goto l318 end
do goto l319 end
do goto l320 end
do goto l321 end
do goto l322 end
do goto l323 end
do goto l324 end
do goto l325 end
do goto l326 end
do goto l327 end
do goto l328 end
do goto l329 end
do goto l330 end
do goto l331 end
do goto l332 end
do goto l333 end
do goto l334 end
do goto l335 end
do goto l336 end
do goto l337 end
do goto l338 end
do goto l339 end
do goto l340 end
do goto l341 end
do goto l342 end
do goto l343 end
do goto l344 end
do goto l345 end
do goto l346 end
do goto l347 end
do goto l348 end
do goto l349 end
do goto l350 end
do goto l351 end
do goto l352 end
do goto l353 end
do goto l354 end
do goto l355 end
do goto l356 end
do goto l357 end
do goto l358 end
do goto l359 end
do goto l360 end
do goto l361 end
do goto l362 end
do goto l363 end
do goto l364 end
do goto l365 end
do goto l366 end
do goto l367 end
do goto l368 end
do goto l369 end
do goto l370 end
do goto l371 end
do goto l372 end
do goto l373 end
do goto l374 end
do goto l375 end
do goto l376 end
do goto l377 end
do goto l378 end
do goto l379 end
do goto l380 end
do goto l381 end
do goto l382 end
do goto l383 end
do goto l384 end
do goto l385 end
do goto l386 end
do goto l387 end
do goto l388 end
do goto l389 end
do goto l390 end
do goto l391 end
do goto l392 end
do goto l393 end
do goto l394 end
do goto l395 end
do goto l396 end
do goto l397 end
do goto l398 end
do goto l399 end
do goto l400 end
do goto l401 end
do goto l402 end
do goto l403 end
do goto l404 end
do goto l405 end
do goto l406 end
do goto l407 end
do goto l408 end
do goto l409 end
do goto l410 end
do goto l411 end
do goto l412 end
do goto l413 end
do goto l414 end
do goto l415 end
do goto l416 end
do goto l417 end
do goto l418 end
do goto l419 end
do goto l420 end
do goto l421 end
do goto l422 end
do goto l423 end
do goto l424 end
do goto l425 end
do goto l426 end
do goto l427 end
do goto l428 end
do goto l429 end
do goto l430 end
do goto l431 end
do goto l432 end
do goto l433 end
do goto l434 end
do goto l435 end
do goto l436 end
do goto l437 end
do goto l438 end
do goto l439 end
do goto l440 end
do goto l441 end
do goto l442 end
do goto l443 end
do goto l444 end
do goto l445 end
do goto l446 end
do goto l447 end
do goto l448 end
do goto l449 end
do goto l450 end
do goto l451 end
do goto l452 end
do goto l453 end
do goto l454 end
do goto l455 end
do goto l456 end
do goto l457 end
do goto l458 end
do goto l459 end
do goto l460 end
do goto l461 end
do goto l462 end
do goto l463 end
do goto l464 end
do goto l465 end
do goto l466 end
do goto l467 end
do goto l468 end
do goto l469 end
do goto l470 end
do goto l471 end
do goto l472 end
do goto l473 end
do goto l474 end
do goto l475 end
do goto l476 end
do goto l477 end
do goto l478 end
do goto l479 end
do goto l480 end
do goto l481 end
do goto l482 end
do goto l483 end
do goto l484 end
do goto l485 end
do goto l486 end
do goto l487 end
do goto l488 end
do goto l489 end
do goto l490 end
do goto l491 end
do goto l492 end
do goto l493 end
do goto l494 end
do goto l495 end
do goto l496 end
do goto l497 end
do goto l498 end
do goto l499 end
do goto l500 end
do goto l501 end
do goto l502 end
do goto l503 end
do goto l504 end
do goto l505 end
do goto l506 end
do goto l507 end
do goto l508 end
do goto l509 end
do goto l510 end
do goto l511 end
do goto l512 end
do goto l513 end
do goto l514 end
do goto l515 end
do goto l516 end
do goto l517 end
do goto l518 end
do goto l519 end
do goto l520 end
do goto l521 end
do goto l522 end
do goto l523 end
do goto l524 end
do goto l525 end
do goto l526 end
do goto l527 end
do goto l528 end
do goto l529 end
do goto l530 end
do goto l531 end
do goto l532 end
do goto l533 end
do goto l534 end
do goto l535 end
do goto l536 end
do goto l537 end
do goto l538 end
do goto l539 end
do goto l540 end
do goto l541 end
do goto l542 end
do goto l543 end
do goto l544 end
do goto l545 end
do goto l546 end
do goto l547 end
do goto l548 end
do goto l549 end
do goto l550 end
do goto l551 end
do goto l552 end
do goto l553 end
do goto l554 end
do goto l555 end
do goto l556 end
do goto l557 end
do goto l558 end
do goto l559 end
do goto l560 end
do goto l561 end
do goto l562 end
do goto l563 end
do goto l564 end
do goto l565 end
do goto l566 end
do goto l567 end
do goto l568 end
do goto l569 end
do goto l570 end
do goto l571 end
do goto l572 end
do goto l573 end
do goto l574 end
do goto l575 end
do goto l576 end
do goto l577 end
do goto l578 end
do goto l579 end
do goto l580 end
do goto l581 end
do goto l582 end
do goto l583 end
do goto l584 end
do goto l585 end
do goto l586 end
do goto l587 end
do goto l588 end
do goto l589 end
do goto l590 end
do goto l591 end
do goto l592 end
do goto l593 end
do goto l594 end
do goto l595 end
do goto l596 end
do goto l597 end
do goto l598 end
do goto l599 end
do goto l600 end
do goto l601 end
do goto l602 end
do goto l603 end
do goto l604 end
do goto l605 end
do goto l606 end
do goto l607 end
do goto l608 end
do goto l609 end
do goto l610 end
do goto l611 end
do goto l612 end
do goto l613 end
do goto l614 end
do goto l615 end
do goto l616 end
do goto l617 end
do goto l618 end
do goto l619 end
do goto l620 end
do goto l621 end
do goto l622 end
do goto l623 end
do goto l624 end
do goto l625 end
do goto l626 end
do goto l627 end
do goto l628 end
do goto l629 end
do goto l630 end
do goto l631 end
do goto l632 end
do goto l633 end
do goto l634 end
do goto l635 end
do goto l636 end
do goto l637 end
do goto l638 end
do goto l639 end
do goto l640 end
do goto l641 end
do goto l642 end
do goto l643 end
do goto l644 end
do goto l645 end
do goto l646 end
do goto l647 end
do goto l648 end
do goto l649 end
do goto l650 end
do goto l651 end
do goto l652 end
do goto l653 end
do goto l654 end
do goto l655 end
do goto l656 end
do goto l657 end
do goto l658 end
do goto l659 end
do goto l660 end
do goto l661 end
do goto l662 end
do goto l663 end
do goto l664 end
do goto l665 end
do goto l666 end
do goto l667 end
do goto l668 end
do goto l669 end
do goto l670 end
do goto l671 end
do goto l672 end
do goto l673 end
do goto l674 end
do goto l675 end
do goto l676 end
do goto l677 end
do goto l678 end
do goto l679 end
do goto l680 end
do goto l681 end
do goto l682 end
do goto l683 end
do goto l684 end
do goto l685 end
do goto l686 end
do goto l687 end
do goto l688 end
do goto l689 end
do goto l690 end
do goto l691 end
do goto l692 end
do goto l693 end
do goto l694 end
do goto l695 end
do goto l696 end
do goto l697 end
do goto l698 end
do goto l699 end
do goto l700 end
do goto l701 end
do goto l702 end
do goto l703 end
do goto l704 end
do goto l705 end
do goto l706 end
do goto l707 end
do goto l708 end
do goto l709 end
do goto l710 end
do goto l711 end
do goto l712 end
do goto l713 end
do goto l714 end
do goto l715 end
do goto l716 end
do goto l717 end
do goto l718 end
do goto l719 end
do goto l720 end
do goto l721 end
do goto l722 end
do goto l723 end
do goto l724 end
do goto l725 end
do goto l726 end
do goto l727 end
do goto l728 end
do goto l729 end
do goto l730 end
do goto l731 end
do goto l732 end
do goto l733 end
do goto l734 end
do goto l735 end
do goto l736 end
do goto l737 end
do goto l738 end
do goto l739 end
do goto l740 end
do goto l741 end
do goto l742 end
do goto l743 end
do goto l744 end
do goto l745 end
do goto l746 end
do goto l747 end
do goto l748 end
do goto l749 end
do goto l750 end
do goto l751 end
do goto l752 end
do goto l753 end
do goto l754 end
do goto l755 end
do goto l756 end
do goto l757 end
do goto l758 end
do goto l759 end
do goto l760 end
do goto l761 end
do goto l762 end
do goto l763 end
do goto l764 end
do goto l765 end
do goto l766 end
do goto l767 end
do goto l768 end
do goto l769 end
do goto l770 end
do goto l771 end
do goto l772 end
do goto l773 end
do goto l774 end
do goto l775 end
do goto l776 end
do goto l777 end
do goto l778 end
do goto l779 end
do goto l780 end
do goto l781 end
do goto l782 end
do goto l783 end
do goto l784 end
do goto l785 end
do goto l786 end
do goto l787 end
do goto l788 end
do goto l789 end
do goto l790 end
do goto l791 end
do goto l792 end
do goto l793 end
do goto l794 end
do goto l795 end
do goto l796 end
do goto l797 end
do goto l798 end
do goto l799 end
do goto l800 end
do goto l801 end
do goto l802 end
do goto l803 end
do goto l804 end
do goto l805 end
do goto l806 end
do goto l807 end
do goto l808 end
do goto l809 end
do goto l810 end
do goto l811 end
do goto l812 end
do goto l813 end
do goto l814 end
do goto l815 end
do goto l816 end
do goto l817 end
do goto l818 end
do goto l819 end
do goto l820 end
do goto l821 end
do goto l822 end
do goto l823 end
do goto l824 end
do goto l825 end
do goto l826 end
do goto l827 end
do goto l828 end
do goto l829 end
do goto l830 end
do goto l831 end
do goto l832 end
do goto l833 end
do goto l834 end
do goto l835 end
do goto l836 end
do goto l837 end
do goto l838 end
do goto l839 end
do goto l840 end
do goto l841 end
do goto l842 end
do goto l843 end
do goto l844 end
do goto l845 end
do goto l846 end
do goto l847 end
do goto l848 end
do goto l849 end
do goto l850 end
do goto l851 end
do goto l852 end
do goto l853 end
do goto l854 end
do goto l855 end
do goto l856 end
do goto l857 end
do goto l858 end
do goto l859 end
do goto l860 end
do goto l861 end
do goto l862 end
do goto l863 end
do goto l864 end
do goto l865 end
do goto l866 end
do goto l867 end
do goto l868 end
do goto l869 end
do goto l870 end
do goto l871 end
do goto l872 end
do goto l873 end
do goto l874 end
do goto l875 end
do goto l876 end
do goto l877 end
do goto l878 end
do goto l879 end
do goto l880 end
do goto l881 end
do goto l882 end
do goto l883 end
do goto l884 end
do goto l885 end
do goto l886 end
do goto l887 end
do goto l888 end
do goto l889 end
do goto l890 end
do goto l891 end
do goto l892 end
do goto l893 end
do goto l894 end
do goto l895 end
do goto l896 end
do goto l897 end
do goto l898 end
do goto l899 end
do goto l900 end
do goto l901 end
do goto l902 end
do goto l903 end
do goto l904 end
do goto l905 end
do goto l906 end
do goto l907 end
do goto l908 end
do goto l909 end
do goto l910 end
do goto l911 end
do goto l912 end
do goto l913 end
do goto l914 end
do goto l915 end
do goto l916 end
do goto l917 end
do goto l918 end
do goto l919 end
do goto l920 end
do goto l921 end
do goto l922 end
do goto l923 end
do goto l924 end
do goto l925 end
do goto l926 end
do goto l927 end
do goto l928 end
do goto l929 end
do goto l930 end
do goto l931 end
do goto l932 end
do goto l933 end
do goto l934 end
do goto l935 end
do goto l936 end
do goto l937 end
do goto l938 end
do goto l939 end
do goto l940 end
do goto l941 end
do goto l942 end
do goto l943 end
do goto l944 end
do goto l945 end
do goto l946 end
do goto l947 end
do goto l948 end
do goto l949 end
do goto l950 end
do goto l951 end
do goto l952 end
do goto l953 end
do goto l954 end
do goto l955 end
do goto l956 end
do goto l957 end
do goto l958 end
do goto l959 end
do goto l960 end
do goto l961 end
do goto l962 end
do goto l963 end
do goto l964 end
do goto l965 end
do goto l966 end
do goto l967 end
do goto l968 end
do goto l969 end
do goto l970 end
do goto l971 end
do goto l972 end
do goto l973 end
do goto l974 end
do goto l975 end
do goto l976 end
do goto l977 end
do goto l978 end
do goto l979 end
do goto l980 end
do goto l981 end
do goto l982 end
do goto l983 end
do goto l984 end
do goto l985 end
do goto l986 end
do goto l987 end
do goto l988 end
do goto l989 end
do goto l990 end
do goto l991 end
do goto l992 end
do goto l993 end
do goto l994 end
do goto l995 end
do goto l996 end
do goto l997 end
do goto l998 end
do goto l999 end
do goto l1000 end
do goto l1001 end
do goto l1002 end
do goto l1003 end
do goto l1004 end
do goto l1005 end
do goto l1006 end
do goto l1007 end
do goto l1008 end
do goto l1009 end
do goto l1010 end
do goto l1011 end
do goto l1012 end
do goto l1013 end
do goto l1014 end
do goto l1015 end
do goto l1016 end
do goto l1017 end
do goto l1018 end
do goto l1019 end
do goto l1020 end
do goto l1021 end
do goto l1022 end
do goto l1023 end
do goto l1024 end
do goto l1025 end
do goto l1026 end
do goto l1027 end
do goto l1028 end
do goto l1029 end
do goto l1030 end
do goto l1031 end
do goto l1032 end
do goto l1033 end
do goto l1034 end
do goto l1035 end
do goto l1036 end
do goto l1037 end
do goto l1038 end
do goto l1039 end
do goto l1040 end
do goto l1041 end
do goto l1042 end
do goto l1043 end
do goto l1044 end
do goto l1045 end
do goto l1046 end
do goto l1047 end
do goto l1048 end
do goto l1049 end
do goto l1050 end
do goto l1051 end
do goto l1052 end
do goto l1053 end
do goto l1054 end
do goto l1055 end
do goto l1056 end
do goto l1057 end
do goto l1058 end
do goto l1059 end
do goto l1060 end
do goto l1061 end
do goto l1062 end
do goto l1063 end
do goto l1064 end
do goto l1065 end
do goto l1066 end
do goto l1067 end
do goto l1068 end
do goto l1069 end
do goto l1070 end
do goto l1071 end
do goto l1072 end
do goto l1073 end
do goto l1074 end
do goto l1075 end
do goto l1076 end
do goto l1077 end
do goto l1078 end
do goto l1079 end
do goto l1080 end
do goto l1081 end
do goto l1082 end
do goto l1083 end
do goto l1084 end
do goto l1085 end
do goto l1086 end
do goto l1087 end
do goto l1088 end
do goto l1089 end
do goto l1090 end
do goto l1091 end
do goto l1092 end
do goto l1093 end
do goto l1094 end
do goto l1095 end
do goto l1096 end
do goto l1097 end
do goto l1098 end
do goto l1099 end
do goto l1100 end
do goto l1101 end
do goto l1102 end
do goto l1103 end
do goto l1104 end
do goto l1105 end
do goto l1106 end
do goto l1107 end
do goto l1108 end
do goto l1109 end
do goto l1110 end
do goto l1111 end
do goto l1112 end
do goto l1113 end
do goto l1114 end
do goto l1115 end
do goto l1116 end
do goto l1117 end
do goto l1118 end
do goto l1119 end
do goto l1120 end
do goto l1121 end
do goto l1122 end
do goto l1123 end
do goto l1124 end
do goto l1125 end
do goto l1126 end
do goto l1127 end
do goto l1128 end
do goto l1129 end
do goto l1130 end
do goto l1131 end
do goto l1132 end
do goto l1133 end
do goto l1134 end
do goto l1135 end
do goto l1136 end
do goto l1137 end
do goto l1138 end
do goto l1139 end
do goto l1140 end
do goto l1141 end
do goto l1142 end
do goto l1143 end
do goto l1144 end
do goto l1145 end
do goto l1146 end
do goto l1147 end
do goto l1148 end
do goto l1149 end
do goto l1150 end
do goto l1151 end
do goto l1152 end
do goto l1153 end
do goto l1154 end
do goto l1155 end
do goto l1156 end
do goto l1157 end
do goto l1158 end
do goto l1159 end
do goto l1160 end
do goto l1161 end
do goto l1162 end
do goto l1163 end
do goto l1164 end
do goto l1165 end
do goto l1166 end
do goto l1167 end
do goto l1168 end
do goto l1169 end
do goto l1170 end
do goto l1171 end
do goto l1172 end
do goto l1173 end
do goto l1174 end
do goto l1175 end
do goto l1176 end
do goto l1177 end
do goto l1178 end
do goto l1179 end
do goto l1180 end
do goto l1181 end
do goto l1182 end
do goto l1183 end
do goto l1184 end
do goto l1185 end
do goto l1186 end
do goto l1187 end
do goto l1188 end
do goto l1189 end
do goto l1190 end
do goto l1191 end
do goto l1192 end
do goto l1193 end
do goto l1194 end
do goto l1195 end
do goto l1196 end
do goto l1197 end
do goto l1198 end
do goto l1199 end
do goto l1200 end
do goto l1201 end
do goto l1202 end
do goto l1203 end
do goto l1204 end
do goto l1205 end
do goto l1206 end
do goto l1207 end
do goto l1208 end
do goto l1209 end
do goto l1210 end
do goto l1211 end
do goto l1212 end
do goto l1213 end
do goto l1214 end
do goto l1215 end
do goto l1216 end
do goto l1217 end
do goto l1218 end
do goto l1219 end
do goto l1220 end
do goto l1221 end
do goto l1222 end
do goto l1223 end
do goto l1224 end
do goto l1225 end
do goto l1226 end
do goto l1227 end
do goto l1228 end
do goto l1229 end
do goto l1230 end
do goto l1231 end
do goto l1232 end
do goto l1233 end
do goto l1234 end
do goto l1235 end
do goto l1236 end
do goto l1237 end
do goto l1238 end
do goto l1239 end
do goto l1240 end
do goto l1241 end
do goto l1242 end
do goto l1243 end
do goto l1244 end
do goto l1245 end
do goto l1246 end
do goto l1247 end
do goto l1248 end
do goto l1249 end
do goto l1250 end
do goto l1251 end
do goto l1252 end
do goto l1253 end
do goto l1254 end
do goto l1255 end
do goto l1256 end
do goto l1257 end
do goto l1258 end
do goto l1259 end
do goto l1260 end
do goto l1261 end
do goto l1262 end
do goto l1263 end
do goto l1264 end
do goto l1265 end
do goto l1266 end
do goto l1267 end
do goto l1268 end
do goto l1269 end
do goto l1270 end
do goto l1271 end
do goto l1272 end
do goto l1273 end
do goto l1274 end
do goto l1275 end
do goto l1276 end
do goto l1277 end
do goto l1278 end
do goto l1279 end
do goto l1280 end
do goto l1281 end
do goto l1282 end
do goto l1283 end
do goto l1284 end
do goto l1285 end
do goto l1286 end
do goto l1287 end
do goto l1288 end
do goto l1289 end
do goto l1290 end
do goto l1291 end
do goto l1292 end
do goto l1293 end
do goto l1294 end
do goto l1295 end
do goto l1296 end
do goto l1297 end
do goto l1298 end
do goto l1299 end
do goto l1300 end
do goto l1301 end
do goto l1302 end
do goto l1303 end
do goto l1304 end
do goto l1305 end
do goto l1306 end
do goto l1307 end
do goto l1308 end
do goto l1309 end
do goto l1310 end
do goto l1311 end
do goto l1312 end
do goto l1313 end
do goto l1314 end
do goto l1315 end
do goto l1316 end
do goto l1317 end
do goto l1318 end
do goto l1319 end
do goto l1320 end
do goto l1321 end
do goto l1322 end
do goto l1323 end
do goto l1324 end
do goto l1325 end
do goto l1326 end
do goto l1327 end
do goto l1328 end
do goto l1329 end
do goto l1330 end
do goto l1331 end
do goto l1332 end
do goto l1333 end
do goto l1334 end
do goto l1335 end
do goto l1336 end
do goto l1337 end
do goto l1338 end
do goto l1339 end
do goto l1340 end
do goto l1341 end
do goto l1342 end
do goto l1343 end
do goto l1344 end
do goto l1345 end
do goto l1346 end
do goto l1347 end
do goto l1348 end
do goto l1349 end
do goto l1350 end
do goto l1351 end
do goto l1352 end
do goto l1353 end
do goto l1354 end
do goto l1355 end
do goto l1356 end
do goto l1357 end
do goto l1358 end
do goto l1359 end
do goto l1360 end
do goto l1361 end
do goto l1362 end
do goto l1363 end
do goto l1364 end
do goto l1365 end
do goto l1366 end
do goto l1367 end
do goto l1368 end
do goto l1369 end
do goto l1370 end
do goto l1371 end
do goto l1372 end
do goto l1373 end
do goto l1374 end
do goto l1375 end
do goto l1376 end
do goto l1377 end
do goto l1378 end
do goto l1379 end
do goto l1380 end
do goto l1381 end
do goto l1382 end
do goto l1383 end
do goto l1384 end
do goto l1385 end
do goto l1386 end
do goto l1387 end
do goto l1388 end
do goto l1389 end
do goto l1390 end
do goto l1391 end
do goto l1392 end
do goto l1393 end
do goto l1394 end
do goto l1395 end
do goto l1396 end
do goto l1397 end
do goto l1398 end
do goto l1399 end
do goto l1400 end
do goto l1401 end
do goto l1402 end
do goto l1403 end
do goto l1404 end
do goto l1405 end
do goto l1406 end
do goto l1407 end
do goto l1408 end
do goto l1409 end
do goto l1410 end
do goto l1411 end
do goto l1412 end
do goto l1413 end
do goto l1414 end
do goto l1415 end
do goto l1416 end
do goto l1417 end
do goto l1418 end
do goto l1419 end
do goto l1420 end
do goto l1421 end
do goto l1422 end
do goto l1423 end
do goto l1424 end
do goto l1425 end
do goto l1426 end
do goto l1427 end
do goto l1428 end
do goto l1429 end
do goto l1430 end
do goto l1431 end
do goto l1432 end
do goto l1433 end
do goto l1434 end
do goto l1435 end
do goto l1436 end
do goto l1437 end
do goto l1438 end
do goto l1439 end
do goto l1440 end
do goto l1441 end
do goto l1442 end
do goto l1443 end
do goto l1444 end
do goto l1445 end
do goto l1446 end
do goto l1447 end
do goto l1448 end
do goto l1449 end
do goto l1450 end
do goto l1451 end
do goto l1452 end
do goto l1453 end
do goto l1454 end
do goto l1455 end
do goto l1456 end
do goto l1457 end
do goto l1458 end
do goto l1459 end
do goto l1460 end
do goto l1461 end
do goto l1462 end
do goto l1463 end
do goto l1464 end
do goto l1465 end
do goto l1466 end
do goto l1467 end
do goto l1468 end
do goto l1469 end
do goto l1470 end
do goto l1471 end
do goto l1472 end
do goto l1473 end
do goto l1474 end
do goto l1475 end
do goto l1476 end
do goto l1477 end
do goto l1478 end
do goto l1479 end
do goto l1480 end
do goto l1481 end
do goto l1482 end
do goto l1483 end
do goto l1484 end
do goto l1485 end
do goto l1486 end
do goto l1487 end
do goto l1488 end
do goto l1489 end
do goto l1490 end
do goto l1491 end
do goto l1492 end
do goto l1493 end
do goto l1494 end
do goto l1495 end
do goto l1496 end
do goto l1497 end
do goto l1498 end
do goto l1499 end
do goto l1500 end
do goto l1501 end
do goto l1502 end
do goto l1503 end
do goto l1504 end
do goto l1505 end
do goto l1506 end
do goto l1507 end
do goto l1508 end
do goto l1509 end
do goto l1510 end
do goto l1511 end
do goto l1512 end
do goto l1513 end
do goto l1514 end
do goto l1515 end
do goto l1516 end
do goto l1517 end
do goto l1518 end
do goto l1519 end
do goto l1520 end
do goto l1521 end
do goto l1522 end
do goto l1523 end
do goto l1524 end
do goto l1525 end
do goto l1526 end
do goto l1527 end
do goto l1528 end
do goto l1529 end
do goto l1530 end
do goto l1531 end
do goto l1532 end
do goto l1533 end
do goto l1534 end
do goto l1535 end
do goto l1536 end
do goto l1537 end
do goto l1538 end
do goto l1539 end
do goto l1540 end
do goto l1541 end
do goto l1542 end
do goto l1543 end
do goto l1544 end
do goto l1545 end
do goto l1546 end
do goto l1547 end
do goto l1548 end
do goto l1549 end
do goto l1550 end
do goto l1551 end
do goto l1552 end
do goto l1553 end
do goto l1554 end
do goto l1555 end
do goto l1556 end
do goto l1557 end
do goto l1558 end
do goto l1559 end
do goto l1560 end
do goto l1561 end
do goto l1562 end
do goto l1563 end
do goto l1564 end
do goto l1565 end
do goto l1566 end
do goto l1567 end
do goto l1568 end
do goto l1569 end
do goto l1570 end
do goto l1571 end
do goto l1572 end
do goto l1573 end
do goto l1574 end
do goto l1575 end
do goto l1576 end
do goto l1577 end
do goto l1578 end
do goto l1579 end
do goto l1580 end
do goto l1581 end
do goto l1582 end
do goto l1583 end
do goto l1584 end
do goto l1585 end
do goto l1586 end
do goto l1587 end
do goto l1588 end
do goto l1589 end
do goto l1590 end
do goto l1591 end
do goto l1592 end
do goto l1593 end
do goto l1594 end
do goto l1595 end
do goto l1596 end
do goto l1597 end
do goto l1598 end
do goto l1599 end
do goto l1600 end
do goto l1601 end
do goto l1602 end
do goto l1603 end
do goto l1604 end
do goto l1605 end
do goto l1606 end
do goto l1607 end
do goto l1608 end
do goto l1609 end
do goto l1610 end
do goto l1611 end
do goto l1612 end
do goto l1613 end
do goto l1614 end
do goto l1615 end
do goto l1616 end
do goto l1617 end
do goto l1618 end
do goto l1619 end
do goto l1620 end
do goto l1621 end
do goto l1622 end
do goto l1623 end
do goto l1624 end
do goto l1625 end
do goto l1626 end
do goto l1627 end
do goto l1628 end
do goto l1629 end
do goto l1630 end
do goto l1631 end
do goto l1632 end
do goto l1633 end
do goto l1634 end
do goto l1635 end
do goto l1636 end
do goto l1637 end
do goto l1638 end
do goto l1639 end
do goto l1640 end
do goto l1641 end
do goto l1642 end
do goto l1643 end
do goto l1644 end
do goto l1645 end
do goto l1646 end
do goto l1647 end
do goto l1648 end
do goto l1649 end
do goto l1650 end
do goto l1651 end
do goto l1652 end
do goto l1653 end
do goto l1654 end
do goto l1655 end
do goto l1656 end
do goto l1657 end
do goto l1658 end
do goto l1659 end
do goto l1660 end
do goto l1661 end
do goto l1662 end
do goto l1663 end
do goto l1664 end
do goto l1665 end
do goto l1666 end
do goto l1667 end
do goto l1668 end
do goto l1669 end
do goto l1670 end
do goto l1671 end
do goto l1672 end
do goto l1673 end
do goto l1674 end
do goto l1675 end
do goto l1676 end
do goto l1677 end
do goto l1678 end
do goto l1679 end
do goto l1680 end
do goto l1681 end
do goto l1682 end
do goto l1683 end
do goto l1684 end
do goto l1685 end
do goto l1686 end
do goto l1687 end
do goto l1688 end
do goto l1689 end
do goto l1690 end
do goto l1691 end
do goto l1692 end
do goto l1693 end
do goto l1694 end
do goto l1695 end
do goto l1696 end
do goto l1697 end
do goto l1698 end
do goto l1699 end
do goto l1700 end
do goto l1701 end
do goto l1702 end
do goto l1703 end
do goto l1704 end
do goto l1705 end
do goto l1706 end
do goto l1707 end
do goto l1708 end
do goto l1709 end
do goto l1710 end
do goto l1711 end
do goto l1712 end
do goto l1713 end
do goto l1714 end
do goto l1715 end
do goto l1716 end
do goto l1717 end
do goto l1718 end
do goto l1719 end
do goto l1720 end
do goto l1721 end
do goto l1722 end
do goto l1723 end
do goto l1724 end
do goto l1725 end
do goto l1726 end
do goto l1727 end
do goto l1728 end
do goto l1729 end
do goto l1730 end
do goto l1731 end
do goto l1732 end
do goto l1733 end
do goto l1734 end
do goto l1735 end
do goto l1736 end
do goto l1737 end
do goto l1738 end
do goto l1739 end
do goto l1740 end
do goto l1741 end
do goto l1742 end
do goto l1743 end
do goto l1744 end
do goto l1745 end
do goto l1746 end
do goto l1747 end
do goto l1748 end
do goto l1749 end
do goto l1750 end
do goto l1751 end
do goto l1752 end
do goto l1753 end
do goto l1754 end
do goto l1755 end
do goto l1756 end
do goto l1757 end
do goto l1758 end
do goto l1759 end
do goto l1760 end
do goto l1761 end
do goto l1762 end
do goto l1763 end
do goto l1764 end
do goto l1765 end
do goto l1766 end
do goto l1767 end
do goto l1768 end
do goto l1769 end
do goto l1770 end
do goto l1771 end
do goto l1772 end
do goto l1773 end
do goto l1774 end
do goto l1775 end
do goto l1776 end
do goto l1777 end
do goto l1778 end
do goto l1779 end
do goto l1780 end
do goto l1781 end
do goto l1782 end
do goto l1783 end
do goto l1784 end
do goto l1785 end
do goto l1786 end
do goto l1787 end
do goto l1788 end
do goto l1789 end
do goto l1790 end
do goto l1791 end
do goto l1792 end
do goto l1793 end
do goto l1794 end
do goto l1795 end
do goto l1796 end
do goto l1797 end
do goto l1798 end
do goto l1799 end
do goto l1800 end
do goto l1801 end
do goto l1802 end
do goto l1803 end
do goto l1804 end
do goto l1805 end
do goto l1806 end
do goto l1807 end
do goto l1808 end
do goto l1809 end
do goto l1810 end
do goto l1811 end
do goto l1812 end
do goto l1813 end
do goto l1814 end
do goto l1815 end
do goto l1816 end
do goto l1817 end
do goto l1818 end
do goto l1819 end
do goto l1820 end
do goto l1821 end
do goto l1822 end
do goto l1823 end
do goto l1824 end
do goto l1825 end
do goto l1826 end
do goto l1827 end
do goto l1828 end
do goto l1829 end
do goto l1830 end
do goto l1831 end
do goto l1832 end
do goto l1833 end
do goto l1834 end
do goto l1835 end
do goto l1836 end
do goto l1837 end
do goto l1838 end
do goto l1839 end
do goto l1840 end
do goto l1841 end
do goto l1842 end
do goto l1843 end
do goto l1844 end
do goto l1845 end
do goto l1846 end
do goto l1847 end
do goto l1848 end
do goto l1849 end
do goto l1850 end
do goto l1851 end
do goto l1852 end
do goto l1853 end
do goto l1854 end
do goto l1855 end
do goto l1856 end
do goto l1857 end
do goto l1858 end
do goto l1859 end
do goto l1860 end
do goto l1861 end
do goto l1862 end
do goto l1863 end
do goto l1864 end
do goto l1865 end
do goto l1866 end
do goto l1867 end
do goto l1868 end
do goto l1869 end
do goto l1870 end
do goto l1871 end
do goto l1872 end
do goto l1873 end
do goto l1874 end
do goto l1875 end
do goto l1876 end
do goto l1877 end
do goto l1878 end
do goto l1879 end
do goto l1880 end
do goto l1881 end
do goto l1882 end
do goto l1883 end
do goto l1884 end
do goto l1885 end
do goto l1886 end
do goto l1887 end
do goto l1888 end
do goto l1889 end
do goto l1890 end
do goto l1891 end
do goto l1892 end
do goto l1893 end
do goto l1894 end
do goto l1895 end
do goto l1896 end
do goto l1897 end
do goto l1898 end
do goto l1899 end
do goto l1900 end
do goto l1901 end
do goto l1902 end
do goto l1903 end
do goto l1904 end
do goto l1905 end
do goto l1906 end
do goto l1907 end
do goto l1908 end
do goto l1909 end
do goto l1910 end
do goto l1911 end
do goto l1912 end
do goto l1913 end
do goto l1914 end
do goto l1915 end
do goto l1916 end
do goto l1917 end
do goto l1918 end
do goto l1919 end
do goto l1920 end
do goto l1921 end
do goto l1922 end
do goto l1923 end
do goto l1924 end
do goto l1925 end
do goto l1926 end
do goto l1927 end
do goto l1928 end
do goto l1929 end
do goto l1930 end
do goto l1931 end
do goto l1932 end
do goto l1933 end
do goto l1934 end
do goto l1935 end
do goto l1936 end
do goto l1937 end
do goto l1938 end
do goto l1939 end
do goto l1940 end
do goto l1941 end
do goto l1942 end
do goto l1943 end
do goto l1944 end
do goto l1945 end
do goto l1946 end
do goto l1947 end
do goto l1948 end
do goto l1949 end
do goto l1950 end
do goto l1951 end
do goto l1952 end
do goto l1953 end
do goto l1954 end
do goto l1955 end
do goto l1956 end
do goto l1957 end
do goto l1958 end
do goto l1959 end
do goto l1960 end
do goto l1961 end
do goto l1962 end
do goto l1963 end
do goto l1964 end
do goto l1965 end
do goto l1966 end
do goto l1967 end
do goto l1968 end
do goto l1969 end
do goto l1970 end
do goto l1971 end
do goto l1972 end
do goto l1973 end
do goto l1974 end
do goto l1975 end
do goto l1976 end
do goto l1977 end
do goto l1978 end
do goto l1979 end
do goto l1980 end
do goto l1981 end
do goto l1982 end
do goto l1983 end
do goto l1984 end
do goto l1985 end
do goto l1986 end
do goto l1987 end
do goto l1988 end
do goto l1989 end
do goto l1990 end
do goto l1991 end
do goto l1992 end
do goto l1993 end
do goto l1994 end
do goto l1995 end
do goto l1996 end
do goto l1997 end
do goto l1998 end
do goto l1999 end
do goto l2000 end
do goto l2001 end
do goto l2002 end
do goto l2003 end
do goto l2004 end
do goto l2005 end
do goto l2006 end
do goto l2007 end
do goto l2008 end
do goto l2009 end
do goto l2010 end
do goto l2011 end
do goto l2012 end
do goto l2013 end
do goto l2014 end
do goto l2015 end
do goto l2016 end
do goto l2017 end
do goto l2018 end
do goto l2019 end
do goto l2020 end
do goto l2021 end
do goto l2022 end
do goto l2023 end
do goto l2024 end
do goto l2025 end
do goto l2026 end
do goto l2027 end
do goto l2028 end
do goto l2029 end
do goto l2030 end
do goto l2031 end
do goto l2032 end
do goto l2033 end
do goto l2034 end
do goto l2035 end
do goto l2036 end
do goto l2037 end
do goto l2038 end
do goto l2039 end
do goto l2040 end
do goto l2041 end
do goto l2042 end
do goto l2043 end
do goto l2044 end
do goto l2045 end
do goto l2046 end
do goto l2047 end
do goto l2048 end
do goto l2049 end
do goto l2050 end
do goto l2051 end
do goto l2052 end
do goto l2053 end
do goto l2054 end
do goto l2055 end
do goto l2056 end
do goto l2057 end
do goto l2058 end
do goto l2059 end
do goto l2060 end
do goto l2061 end
do goto l2062 end
do goto l2063 end
do goto l2064 end
do goto l2065 end
do goto l2066 end
do goto l2067 end
do goto l2068 end
do goto l2069 end
do goto l2070 end
do goto l2071 end
do goto l2072 end
do goto l2073 end
do goto l2074 end
do goto l2075 end
do goto l2076 end
do goto l2077 end
do goto l2078 end
do goto l2079 end
do goto l2080 end
do goto l2081 end
do goto l2082 end
do goto l2083 end
do goto l2084 end
do goto l2085 end
do goto l2086 end
do goto l2087 end
do goto l2088 end
do goto l2089 end
do goto l2090 end
do goto l2091 end
do goto l2092 end
do goto l2093 end
do goto l2094 end
do goto l2095 end
do goto l2096 end
do goto l2097 end
do goto l2098 end
do goto l2099 end
do goto l2100 end
do goto l2101 end
do goto l2102 end
do goto l2103 end
do goto l2104 end
do goto l2105 end
do goto l2106 end
do goto l2107 end
do goto l2108 end
do goto l2109 end
do goto l2110 end
do goto l2111 end
do goto l2112 end
do goto l2113 end
do goto l2114 end
do goto l2115 end
do goto l2116 end
do goto l2117 end
do goto l2118 end
do goto l2119 end
do goto l2120 end
do goto l2121 end
do goto l2122 end
do goto l2123 end
do goto l2124 end
do goto l2125 end
do goto l2126 end
do goto l2127 end
do goto l2128 end
do goto l2129 end
do goto l2130 end
do goto l2131 end
do goto l2132 end
do goto l2133 end
do goto l2134 end
do goto l2135 end
do goto l2136 end
do goto l2137 end
do goto l2138 end
do goto l2139 end
do goto l2140 end
do goto l2141 end
do goto l2142 end
do goto l2143 end
do goto l2144 end
do goto l2145 end
do goto l2146 end
do goto l2147 end
do goto l2148 end
do goto l2149 end
do goto l2150 end
do goto l2151 end
do goto l2152 end
do goto l2153 end
do goto l2154 end
do goto l2155 end
do goto l2156 end
do goto l2157 end
do goto l2158 end
do goto l2159 end
do goto l2160 end
do goto l2161 end
do goto l2162 end
do goto l2163 end
do goto l2164 end
do goto l2165 end
do goto l2166 end
do goto l2167 end
do goto l2168 end
do goto l2169 end
do goto l2170 end
do goto l2171 end
do goto l2172 end
do goto l2173 end
do goto l2174 end
do goto l2175 end
do goto l2176 end
do goto l2177 end
do goto l2178 end
do goto l2179 end
do goto l2180 end
do goto l2181 end
do goto l2182 end
do goto l2183 end
do goto l2184 end
do goto l2185 end
do goto l2186 end
do goto l2187 end
do goto l2188 end
do goto l2189 end
do goto l2190 end
do goto l2191 end
do goto l2192 end
do goto l2193 end
do goto l2194 end
do goto l2195 end
do goto l2196 end
do goto l2197 end
do goto l2198 end
do goto l2199 end
do goto l2200 end
do goto l2201 end
do goto l2202 end
do goto l2203 end
do goto l2204 end
do goto l2205 end
do goto l2206 end
do goto l2207 end
do goto l2208 end
do goto l2209 end
do goto l2210 end
do goto l2211 end
do goto l2212 end
do goto l2213 end
do goto l2214 end
do goto l2215 end
do goto l2216 end
do goto l2217 end
do goto l2218 end
do goto l2219 end
do goto l2220 end
do goto l2221 end
do goto l2222 end
do goto l2223 end
do goto l2224 end
do goto l2225 end
do goto l2226 end
do goto l2227 end
do goto l2228 end
do goto l2229 end
do goto l2230 end
do goto l2231 end
do goto l2232 end
do goto l2233 end
do goto l2234 end
do goto l2235 end
do goto l2236 end
do goto l2237 end
do goto l2238 end
do goto l2239 end
do goto l2240 end
do goto l2241 end
do goto l2242 end
do goto l2243 end
do goto l2244 end
do goto l2245 end
do goto l2246 end
do goto l2247 end
do goto l2248 end
do goto l2249 end
do goto l2250 end
do goto l2251 end
do goto l2252 end
do goto l2253 end
do goto l2254 end
do goto l2255 end
do goto l2256 end
do goto l2257 end
do goto l2258 end
do goto l2259 end
do goto l2260 end
do goto l2261 end
do goto l2262 end
do goto l2263 end
do goto l2264 end
do goto l2265 end
do goto l2266 end
do goto l2267 end
do goto l2268 end
do goto l2269 end
do goto l2270 end
do goto l2271 end
do goto l2272 end
do goto l2273 end
do goto l2274 end
do goto l2275 end
do goto l2276 end
do goto l2277 end
do goto l2278 end
do goto l2279 end
do goto l2280 end
do goto l2281 end
do goto l2282 end
do goto l2283 end
do goto l2284 end
do goto l2285 end
do goto l2286 end
do goto l2287 end
do goto l2288 end
do goto l2289 end
do goto l2290 end
do goto l2291 end
do goto l2292 end
do goto l2293 end
do goto l2294 end
do goto l2295 end
do goto l2296 end
do goto l2297 end
do goto l2298 end
do goto l2299 end
do goto l2300 end
do goto l2301 end
do goto l2302 end
do goto l2303 end
do goto l2304 end
do goto l2305 end
do goto l2306 end
do goto l2307 end
do goto l2308 end
do goto l2309 end
do goto l2310 end
do goto l2311 end
do goto l2312 end
do goto l2313 end
do goto l2314 end
do goto l2315 end
do goto l2316 end
do goto l2317 end
do goto l2318 end
do goto l2319 end
do goto l2320 end
do goto l2321 end
do goto l2322 end
do goto l2323 end
do goto l2324 end
do goto l2325 end
do goto l2326 end
do goto l2327 end
do goto l2328 end
do goto l2329 end
do goto l2330 end
do goto l2331 end
do goto l2332 end
do goto l2333 end
do goto l2334 end
do goto l2335 end
do goto l2336 end
do goto l2337 end
do goto l2338 end
do goto l2339 end
do goto l2340 end
do goto l2341 end
do goto l2342 end
do goto l2343 end
do goto l2344 end
do goto l2345 end
do goto l2346 end
do goto l2347 end
do goto l2348 end
do goto l2349 end
do goto l2350 end
do goto l2351 end
do goto l2352 end
do goto l2353 end
do goto l2354 end
do goto l2355 end
do goto l2356 end
do goto l2357 end
do goto l2358 end
do goto l2359 end
do goto l2360 end
do goto l2361 end
do goto l2362 end
do goto l2363 end
do goto l2364 end
do goto l2365 end
do goto l2366 end
do goto l2367 end
do goto l2368 end
do goto l2369 end
do goto l2370 end
do goto l2371 end
do goto l2372 end
do goto l2373 end
do goto l2374 end
do goto l2375 end
do goto l2376 end
do goto l2377 end
do goto l2378 end
do goto l2379 end
do goto l2380 end
do goto l2381 end
do goto l2382 end
do goto l2383 end
do goto l2384 end
do goto l2385 end
do goto l2386 end
do goto l2387 end
do goto l2388 end
do goto l2389 end
do goto l2390 end
do goto l2391 end
do goto l2392 end
do goto l2393 end
do goto l2394 end
do goto l2395 end
do goto l2396 end
do goto l2397 end
do goto l2398 end
do goto l2399 end
do goto l2400 end
do goto l2401 end
do goto l2402 end
do goto l2403 end
do goto l2404 end
do goto l2405 end
do goto l2406 end
do goto l2407 end
do goto l2408 end
do goto l2409 end
do goto l2410 end
do goto l2411 end
do goto l2412 end
do goto l2413 end
do goto l2414 end
do goto l2415 end
do goto l2416 end
do goto l2417 end
do goto l2418 end
do goto l2419 end
do goto l2420 end
do goto l2421 end
do goto l2422 end
do goto l2423 end
do goto l2424 end
do goto l2425 end
do goto l2426 end
do goto l2427 end
do goto l2428 end
do goto l2429 end
do goto l2430 end
do goto l2431 end
do goto l2432 end
do goto l2433 end
do goto l2434 end
do goto l2435 end
do goto l2436 end
do goto l2437 end
do goto l2438 end
do goto l2439 end
do goto l2440 end
do goto l2441 end
do goto l2442 end
do goto l2443 end
do goto l2444 end
do goto l2445 end
do goto l2446 end
do goto l2447 end
do goto l2448 end
do goto l2449 end
do goto l2450 end
do goto l2451 end
do goto l2452 end
do goto l2453 end
do goto l2454 end
do goto l2455 end
do goto l2456 end
do goto l2457 end
do goto l2458 end
do goto l2459 end
do goto l2460 end
do goto l2461 end
do goto l2462 end
do goto l2463 end
do goto l2464 end
do goto l2465 end
do goto l2466 end
do goto l2467 end
do goto l2468 end
do goto l2469 end
do goto l2470 end
do goto l2471 end
do goto l2472 end
do goto l2473 end
do goto l2474 end
do goto l2475 end
do goto l2476 end
do goto l2477 end
do goto l2478 end
do goto l2479 end
do goto l2480 end
do goto l2481 end
do goto l2482 end
do goto l2483 end
do goto l2484 end
do goto l2485 end
do goto l2486 end
do goto l2487 end
do goto l2488 end
do goto l2489 end
do goto l2490 end
do goto l2491 end
do goto l2492 end
do goto l2493 end
do goto l2494 end
do goto l2495 end
do goto l2496 end
do goto l2497 end
do goto l2498 end
do goto l2499 end
do goto l2500 end
do goto l2501 end
do goto l2502 end
do goto l2503 end
do goto l2504 end
do goto l2505 end
do goto l2506 end
do goto l2507 end
do goto l2508 end
do goto l2509 end
do goto l2510 end
do goto l2511 end
do goto l2512 end
do goto l2513 end
do goto l2514 end
do goto l2515 end
do goto l2516 end
do goto l2517 end
do goto l2518 end
do goto l2519 end
do goto l2520 end
do goto l2521 end
do goto l2522 end
do goto l2523 end
do goto l2524 end
do goto l2525 end
do goto l2526 end
do goto l2527 end
do goto l2528 end
do goto l2529 end
do goto l2530 end
do goto l2531 end
do goto l2532 end
do goto l2533 end
do goto l2534 end
do goto l2535 end
do goto l2536 end
do goto l2537 end
do goto l2538 end
do goto l2539 end
do goto l2540 end
do goto l2541 end
do goto l2542 end
do goto l2543 end
do goto l2544 end
do goto l2545 end
do goto l2546 end
do goto l2547 end
do goto l2548 end
do goto l2549 end
do goto l2550 end
do goto l2551 end
do goto l2552 end
do goto l2553 end
do goto l2554 end
do goto l2555 end
do goto l2556 end
do goto l2557 end
do goto l2558 end
do goto l2559 end
do goto l2560 end
do goto l2561 end
do goto l2562 end
do goto l2563 end
do goto l2564 end
do goto l2565 end
do goto l2566 end
do goto l2567 end
do goto l2568 end
do goto l2569 end
do goto l2570 end
do goto l2571 end
do goto l2572 end
do goto l2573 end
do goto l2574 end
do goto l2575 end
do goto l2576 end
do goto l2577 end
do goto l2578 end
do goto l2579 end
do goto l2580 end
do goto l2581 end
do goto l2582 end
do goto l2583 end
do goto l2584 end
do goto l2585 end
do goto l2586 end
do goto l2587 end
do goto l2588 end
do goto l2589 end
do goto l2590 end
do goto l2591 end
do goto l2592 end
do goto l2593 end
do goto l2594 end
do goto l2595 end
do goto l2596 end
do goto l2597 end
do goto l2598 end
do goto l2599 end
do goto l2600 end
do goto l2601 end
do goto l2602 end
do goto l2603 end
do goto l2604 end
do goto l2605 end
do goto l2606 end
do goto l2607 end
do goto l2608 end
do goto l2609 end
do goto l2610 end
do goto l2611 end
do goto l2612 end
do goto l2613 end
do goto l2614 end
do goto l2615 end
do goto l2616 end
do goto l2617 end
do goto l2618 end
do goto l2619 end
do goto l2620 end
do goto l2621 end
do goto l2622 end
do goto l2623 end
do goto l2624 end
do goto l2625 end
do goto l2626 end
do goto l2627 end
do goto l2628 end
do goto l2629 end
do goto l2630 end
do goto l2631 end
do goto l2632 end
do goto l2633 end
do goto l2634 end
do goto l2635 end
do goto l2636 end
do goto l2637 end
do goto l2638 end
do goto l2639 end
do goto l2640 end
do goto l2641 end
do goto l2642 end
do goto l2643 end
do goto l2644 end
do goto l2645 end
do goto l2646 end
do goto l2647 end
do goto l2648 end
do goto l2649 end
do goto l2650 end
do goto l2651 end
do goto l2652 end
do goto l2653 end
do goto l2654 end
do goto l2655 end
do goto l2656 end
do goto l2657 end
do goto l2658 end
do goto l2659 end
do goto l2660 end
do goto l2661 end
do goto l2662 end
do goto l2663 end
do goto l2664 end
do goto l2665 end
do goto l2666 end
do goto l2667 end
do goto l2668 end
do goto l2669 end
do goto l2670 end
do goto l2671 end
do goto l2672 end
do goto l2673 end
do goto l2674 end
do goto l2675 end
do goto l2676 end
do goto l2677 end
do goto l2678 end
do goto l2679 end
do goto l2680 end
do goto l2681 end
do goto l2682 end
do goto l2683 end
do goto l2684 end
do goto l2685 end
do goto l2686 end
do goto l2687 end
do goto l2688 end
do goto l2689 end
do goto l2690 end
do goto l2691 end
do goto l2692 end
do goto l2693 end
do goto l2694 end
do goto l2695 end
do goto l2696 end
do goto l2697 end
do goto l2698 end
do goto l2699 end
do goto l2700 end
do goto l2701 end
do goto l2702 end
do goto l2703 end
do goto l2704 end
do goto l2705 end
do goto l2706 end
do goto l2707 end
do goto l2708 end
do goto l2709 end
do goto l2710 end
do goto l2711 end
do goto l2712 end
do goto l2713 end
do goto l2714 end
do goto l2715 end
do goto l2716 end
do goto l2717 end
do goto l2718 end
do goto l2719 end
do goto l2720 end
do goto l2721 end
do goto l2722 end
do goto l2723 end
do goto l2724 end
do goto l2725 end
do goto l2726 end
do goto l2727 end
do goto l2728 end
do goto l2729 end
do goto l2730 end
do goto l2731 end
do goto l2732 end
do goto l2733 end
do goto l2734 end
do goto l2735 end
do goto l2736 end
do goto l2737 end
do goto l2738 end
do goto l2739 end
do goto l2740 end
do goto l2741 end
do goto l2742 end
do goto l2743 end
do goto l2744 end
do goto l2745 end
do goto l2746 end
do goto l2747 end
do goto l2748 end
do goto l2749 end
do goto l2750 end
do goto l2751 end
do goto l2752 end
do goto l2753 end
do goto l2754 end
do goto l2755 end
do goto l2756 end
do goto l2757 end
do goto l2758 end
do goto l2759 end
do goto l2760 end
do goto l2761 end
do goto l2762 end
do goto l2763 end
do goto l2764 end
do goto l2765 end
do goto l2766 end
do goto l2767 end
do goto l2768 end
do goto l2769 end
do goto l2770 end
do goto l2771 end
do goto l2772 end
do goto l2773 end
do goto l2774 end
do goto l2775 end
do goto l2776 end
do goto l2777 end
do goto l2778 end
do goto l2779 end
do goto l2780 end
do goto l2781 end
do goto l2782 end
do goto l2783 end
do goto l2784 end
do goto l2785 end
do goto l2786 end
do goto l2787 end
do goto l2788 end
do goto l2789 end
do goto l2790 end
do goto l2791 end
do goto l2792 end
do goto l2793 end
do goto l2794 end
do goto l2795 end
do goto l2796 end
do goto l2797 end
do goto l2798 end
do goto l2799 end
do goto l2800 end
do goto l2801 end
do goto l2802 end
do goto l2803 end
do goto l2804 end
do goto l2805 end
do goto l2806 end
do goto l2807 end
do goto l2808 end
do goto l2809 end
do goto l2810 end
do goto l2811 end
do goto l2812 end
do goto l2813 end
do goto l2814 end
do goto l2815 end
do goto l2816 end
do goto l2817 end
do goto l2818 end
do goto l2819 end
do goto l2820 end
do goto l2821 end
do goto l2822 end
do goto l2823 end
do goto l2824 end
do goto l2825 end
do goto l2826 end
do goto l2827 end
do goto l2828 end
do goto l2829 end
do goto l2830 end
do goto l2831 end
do goto l2832 end
do goto l2833 end
do goto l2834 end
do goto l2835 end
do goto l2836 end
do goto l2837 end
do goto l2838 end
do goto l2839 end
do goto l2840 end
do goto l2841 end
do goto l2842 end
do goto l2843 end
do goto l2844 end
do goto l2845 end
do goto l2846 end
do goto l2847 end
do goto l2848 end
do goto l2849 end
do goto l2850 end
do goto l2851 end
do goto l2852 end
do goto l2853 end
do goto l2854 end
do goto l2855 end
do goto l2856 end
do goto l2857 end
do goto l2858 end
do goto l2859 end
do goto l2860 end
do goto l2861 end
do goto l2862 end
do goto l2863 end
do goto l2864 end
do goto l2865 end
do goto l2866 end
do goto l2867 end
do goto l2868 end
do goto l2869 end
do goto l2870 end
do goto l2871 end
do goto l2872 end
do goto l2873 end
do goto l2874 end
do goto l2875 end
do goto l2876 end
do goto l2877 end
do goto l2878 end
do goto l2879 end
do goto l2880 end
do goto l2881 end
do goto l2882 end
do goto l2883 end
do goto l2884 end
do goto l2885 end
do goto l2886 end
do goto l2887 end
do goto l2888 end
do goto l2889 end
do goto l2890 end
do goto l2891 end
do goto l2892 end
do goto l2893 end
do goto l2894 end
do goto l2895 end
do goto l2896 end
do goto l2897 end
do goto l2898 end
do goto l2899 end
do goto l2900 end
do goto l2901 end
do goto l2902 end
do goto l2903 end
do goto l2904 end
do goto l2905 end
do goto l2906 end
do goto l2907 end
do goto l2908 end
do goto l2909 end
do goto l2910 end
do goto l2911 end
do goto l2912 end
do goto l2913 end
do goto l2914 end
do goto l2915 end
do goto l2916 end
do goto l2917 end
do goto l2918 end
do goto l2919 end
do goto l2920 end
do goto l2921 end
do goto l2922 end
do goto l2923 end
do goto l2924 end
do goto l2925 end
do goto l2926 end
do goto l2927 end
do goto l2928 end
do goto l2929 end
do goto l2930 end
do goto l2931 end
do goto l2932 end
do goto l2933 end
do goto l2934 end
do goto l2935 end
do goto l2936 end
do goto l2937 end
do goto l2938 end
do goto l2939 end
do goto l2940 end
do goto l2941 end
do goto l2942 end
do goto l2943 end
do goto l2944 end
do goto l2945 end
do goto l2946 end
do goto l2947 end
do goto l2948 end
do goto l2949 end
do goto l2950 end
do goto l2951 end
do goto l2952 end
do goto l2953 end
do goto l2954 end
do goto l2955 end
do goto l2956 end
do goto l2957 end
do goto l2958 end
do goto l2959 end
do goto l2960 end
do goto l2961 end
do goto l2962 end
do goto l2963 end
do goto l2964 end
do goto l2965 end
do goto l2966 end
do goto l2967 end
do goto l2968 end
do goto l2969 end
do goto l2970 end
do goto l2971 end
do goto l2972 end
do goto l2973 end
do goto l2974 end
do goto l2975 end
do goto l2976 end
do goto l2977 end
do goto l2978 end
do goto l2979 end
do goto l2980 end
do goto l2981 end
do goto l2982 end
do goto l2983 end
do goto l2984 end
do goto l2985 end
do goto l2986 end
do goto l2987 end
do goto l2988 end
do goto l2989 end
do goto l2990 end
do goto l2991 end
do goto l2992 end
do goto l2993 end
do goto l2994 end
do goto l2995 end
do goto l2996 end
do goto l2997 end
do goto l2998 end
do goto l2999 end
::l0::
::l1::
::l2::
::l3::
::l4::
::l5::
::l6::
::l7::
::l8::
::l9::
::l10::
::l11::
::l12::
::l13::
::l14::
::l15::
::l16::
::l17::
::l18::
::l19::
::l20::
::l21::
::l22::
::l23::
::l24::
::l25::
::l26::
::l27::
::l28::
::l29::
::l30::
::l31::
::l32::
::l33::
::l34::
::l35::
::l36::
::l37::
::l38::
::l39::
::l40::
::l41::
::l42::
::l43::
::l44::
::l45::
::l46::
::l47::
::l48::
::l49::
::l50::
::l51::
::l52::
::l53::
::l54::
::l55::
::l56::
::l57::
::l58::
::l59::
::l60::
::l61::
::l62::
::l63::
::l64::
::l65::
::l66::
::l67::
::l68::
::l69::
::l70::
::l71::
::l72::
::l73::
::l74::
::l75::
::l76::
::l77::
::l78::
::l79::
::l80::
::l81::
::l82::
::l83::
::l84::
::l85::
::l86::
::l87::
::l88::
::l89::
::l90::
::l91::
::l92::
::l93::
::l94::
::l95::
::l96::
::l97::
::l98::
::l99::
::l100::
::l101::
::l102::
::l103::
::l104::
::l105::
::l106::
::l107::
::l108::
::l109::
::l110::
::l111::
::l112::
::l113::
::l114::
::l115::
::l116::
::l117::
::l118::
::l119::
::l120::
::l121::
::l122::
::l123::
::l124::
::l125::
::l126::
::l127::
::l128::
::l129::
::l130::
::l131::
::l132::
::l133::
::l134::
::l135::
::l136::
::l137::
::l138::
::l139::
::l140::
::l141::
::l142::
::l143::
::l144::
::l145::
::l146::
::l147::
::l148::
::l149::
::l150::
::l151::
::l152::
::l153::
::l154::
::l155::
::l156::
::l157::
::l158::
::l159::
::l160::
::l161::
::l162::
::l163::
::l164::
::l165::
::l166::
::l167::
::l168::
::l169::
::l170::
::l171::
::l172::
::l173::
::l174::
::l175::
::l176::
::l177::
::l178::
::l179::
::l180::
::l181::
::l182::
::l183::
::l184::
::l185::
::l186::
::l187::
::l188::
::l189::
::l190::
::l191::
::l192::
::l193::
::l194::
::l195::
::l196::
::l197::
::l198::
::l199::
::l200::
::l201::
::l202::
::l203::
::l204::
::l205::
::l206::
::l207::
::l208::
::l209::
::l210::
::l211::
::l212::
::l213::
::l214::
::l215::
::l216::
::l217::
::l218::
::l219::
::l220::
::l221::
::l222::
::l223::
::l224::
::l225::
::l226::
::l227::
::l228::
::l229::
::l230::
::l231::
::l232::
::l233::
::l234::
::l235::
::l236::
::l237::
::l238::
::l239::
::l240::
::l241::
::l242::
::l243::
::l244::
::l245::
::l246::
::l247::
::l248::
::l249::
::l250::
::l251::
::l252::
::l253::
::l254::
::l255::
::l256::
::l257::
::l258::
::l259::
::l260::
::l261::
::l262::
::l263::
::l264::
::l265::
::l266::
::l267::
::l268::
::l269::
::l270::
::l271::
::l272::
::l273::
::l274::
::l275::
::l276::
::l277::
::l278::
::l279::
::l280::
::l281::
::l282::
::l283::
::l284::
::l285::
::l286::
::l287::
::l288::
::l289::
::l290::
::l291::
::l292::
::l293::
::l294::
::l295::
::l296::
::l297::
::l298::
::l299::
::l300::
::l301::
::l302::
::l303::
::l304::
::l305::
::l306::
::l307::
::l308::
::l309::
::l310::
::l311::
::l312::
::l313::
::l314::
::l315::
::l316::
::l317::
::l318::
::l319::
::l320::
::l321::
::l322::
::l323::
::l324::
::l325::
::l326::
::l327::
::l328::
::l329::
::l330::
::l331::
::l332::
::l333::
::l334::
::l335::
::l336::
::l337::
::l338::
::l339::
::l340::
::l341::
::l342::
::l343::
::l344::
::l345::
::l346::
::l347::
::l348::
::l349::
::l350::
::l351::
::l352::
::l353::
::l354::
::l355::
::l356::
::l357::
::l358::
::l359::
::l360::
::l361::
::l362::
::l363::
::l364::
::l365::
::l366::
::l367::
::l368::
::l369::
::l370::
::l371::
::l372::
::l373::
::l374::
::l375::
::l376::
::l377::
::l378::
::l379::
::l380::
::l381::
::l382::
::l383::
::l384::
::l385::
::l386::
::l387::
::l388::
::l389::
::l390::
::l391::
::l392::
::l393::
::l394::
::l395::
::l396::
::l397::
::l398::
::l399::
::l400::
::l401::
::l402::
::l403::
::l404::
::l405::
::l406::
::l407::
::l408::
::l409::
::l410::
::l411::
::l412::
::l413::
::l414::
::l415::
::l416::
::l417::
::l418::
::l419::
::l420::
::l421::
::l422::
::l423::
::l424::
::l425::
::l426::
::l427::
::l428::
::l429::
::l430::
::l431::
::l432::
::l433::
::l434::
::l435::
::l436::
::l437::
::l438::
::l439::
::l440::
::l441::
::l442::
::l443::
::l444::
::l445::
::l446::
::l447::
::l448::
::l449::
::l450::
::l451::
::l452::
::l453::
::l454::
::l455::
::l456::
::l457::
::l458::
::l459::
::l460::
::l461::
::l462::
::l463::
::l464::
::l465::
::l466::
::l467::
::l468::
::l469::
::l470::
::l471::
::l472::
::l473::
::l474::
::l475::
::l476::
::l477::
::l478::
::l479::
::l480::
::l481::
::l482::
::l483::
::l484::
::l485::
::l486::
::l487::
::l488::
::l489::
::l490::
::l491::
::l492::
::l493::
::l494::
::l495::
::l496::
::l497::
::l498::
::l499::
::l500::
::l501::
::l502::
::l503::
::l504::
::l505::
::l506::
::l507::
::l508::
::l509::
::l510::
::l511::
::l512::
::l513::
::l514::
::l515::
::l516::
::l517::
::l518::
::l519::
::l520::
::l521::
::l522::
::l523::
::l524::
::l525::
::l526::
::l527::
::l528::
::l529::
::l530::
::l531::
::l532::
::l533::
::l534::
::l535::
::l536::
::l537::
::l538::
::l539::
::l540::
::l541::
::l542::
::l543::
::l544::
::l545::
::l546::
::l547::
::l548::
::l549::
::l550::
::l551::
::l552::
::l553::
::l554::
::l555::
::l556::
::l557::
::l558::
::l559::
::l560::
::l561::
::l562::
::l563::
::l564::
::l565::
::l566::
::l567::
::l568::
::l569::
::l570::
::l571::
::l572::
::l573::
::l574::
::l575::
::l576::
::l577::
::l578::
::l579::
::l580::
::l581::
::l582::
::l583::
::l584::
::l585::
::l586::
::l587::
::l588::
::l589::
::l590::
::l591::
::l592::
::l593::
::l594::
::l595::
::l596::
::l597::
::l598::
::l599::
::l600::
::l601::
::l602::
::l603::
::l604::
::l605::
::l606::
::l607::
::l608::
::l609::
::l610::
::l611::
::l612::
::l613::
::l614::
::l615::
::l616::
::l617::
::l618::
::l619::
::l620::
::l621::
::l622::
::l623::
::l624::
::l625::
::l626::
::l627::
::l628::
::l629::
::l630::
::l631::
::l632::
::l633::
::l634::
::l635::
::l636::
::l637::
::l638::
::l639::
::l640::
::l641::
::l642::
::l643::
::l644::
::l645::
::l646::
::l647::
::l648::
::l649::
::l650::
::l651::
::l652::
::l653::
::l654::
::l655::
::l656::
::l657::
::l658::
::l659::
::l660::
::l661::
::l662::
::l663::
::l664::
::l665::
::l666::
::l667::
::l668::
::l669::
::l670::
::l671::
::l672::
::l673::
::l674::
::l675::
::l676::
::l677::
::l678::
::l679::
::l680::
::l681::
::l682::
::l683::
::l684::
::l685::
::l686::
::l687::
::l688::
::l689::
::l690::
::l691::
::l692::
::l693::
::l694::
::l695::
::l696::
::l697::
::l698::
::l699::
::l700::
::l701::
::l702::
::l703::
::l704::
::l705::
::l706::
::l707::
::l708::
::l709::
::l710::
::l711::
::l712::
::l713::
::l714::
::l715::
::l716::
::l717::
::l718::
::l719::
::l720::
::l721::
::l722::
::l723::
::l724::
::l725::
::l726::
::l727::
::l728::
::l729::
::l730::
::l731::
::l732::
::l733::
::l734::
::l735::
::l736::
::l737::
::l738::
::l739::
::l740::
::l741::
::l742::
::l743::
::l744::
::l745::
::l746::
::l747::
::l748::
::l749::
::l750::
::l751::
::l752::
::l753::
::l754::
::l755::
::l756::
::l757::
::l758::
::l759::
::l760::
::l761::
::l762::
::l763::
::l764::
::l765::
::l766::
::l767::
::l768::
::l769::
::l770::
::l771::
::l772::
::l773::
::l774::
::l775::
::l776::
::l777::
::l778::
::l779::
::l780::
::l781::
::l782::
::l783::
::l784::
::l785::
::l786::
::l787::
::l788::
::l789::
::l790::
::l791::
::l792::
::l793::
::l794::
::l795::
::l796::
::l797::
::l798::
::l799::
::l800::
::l801::
::l802::
::l803::
::l804::
::l805::
::l806::
::l807::
::l808::
::l809::
::l810::
::l811::
::l812::
::l813::
::l814::
::l815::
::l816::
::l817::
::l818::
::l819::
::l820::
::l821::
::l822::
::l823::
::l824::
::l825::
::l826::
::l827::
::l828::
::l829::
::l830::
::l831::
::l832::
::l833::
::l834::
::l835::
::l836::
::l837::
::l838::
::l839::
::l840::
::l841::
::l842::
::l843::
::l844::
::l845::
::l846::
::l847::
::l848::
::l849::
::l850::
::l851::
::l852::
::l853::
::l854::
::l855::
::l856::
::l857::
::l858::
::l859::
::l860::
::l861::
::l862::
::l863::
::l864::
::l865::
::l866::
::l867::
::l868::
::l869::
::l870::
::l871::
::l872::
::l873::
::l874::
::l875::
::l876::
::l877::
::l878::
::l879::
::l880::
::l881::
::l882::
::l883::
::l884::
::l885::
::l886::
::l887::
::l888::
::l889::
::l890::
::l891::
::l892::
::l893::
::l894::
::l895::
::l896::
::l897::
::l898::
::l899::
::l900::
::l901::
::l902::
::l903::
::l904::
::l905::
::l906::
::l907::
::l908::
::l909::
::l910::
::l911::
::l912::
::l913::
::l914::
::l915::
::l916::
::l917::
::l918::
::l919::
::l920::
::l921::
::l922::
::l923::
::l924::
::l925::
::l926::
::l927::
::l928::
::l929::
::l930::
::l931::
::l932::
::l933::
::l934::
::l935::
::l936::
::l937::
::l938::
::l939::
::l940::
::l941::
::l942::
::l943::
::l944::
::l945::
::l946::
::l947::
::l948::
::l949::
::l950::
::l951::
::l952::
::l953::
::l954::
::l955::
::l956::
::l957::
::l958::
::l959::
::l960::
::l961::
::l962::
::l963::
::l964::
::l965::
::l966::
::l967::
::l968::
::l969::
::l970::
::l971::
::l972::
::l973::
::l974::
::l975::
::l976::
::l977::
::l978::
::l979::
::l980::
::l981::
::l982::
::l983::
::l984::
::l985::
::l986::
::l987::
::l988::
::l989::
::l990::
::l991::
::l992::
::l993::
::l994::
::l995::
::l996::
::l997::
::l998::
::l999::
::l1000::
::l1001::
::l1002::
::l1003::
::l1004::
::l1005::
::l1006::
::l1007::
::l1008::
::l1009::
::l1010::
::l1011::
::l1012::
::l1013::
::l1014::
::l1015::
::l1016::
::l1017::
::l1018::
::l1019::
::l1020::
::l1021::
::l1022::
::l1023::
::l1024::
::l1025::
::l1026::
::l1027::
::l1028::
::l1029::
::l1030::
::l1031::
::l1032::
::l1033::
::l1034::
::l1035::
::l1036::
::l1037::
::l1038::
::l1039::
::l1040::
::l1041::
::l1042::
::l1043::
::l1044::
::l1045::
::l1046::
::l1047::
::l1048::
::l1049::
::l1050::
::l1051::
::l1052::
::l1053::
::l1054::
::l1055::
::l1056::
::l1057::
::l1058::
::l1059::
::l1060::
::l1061::
::l1062::
::l1063::
::l1064::
::l1065::
::l1066::
::l1067::
::l1068::
::l1069::
::l1070::
::l1071::
::l1072::
::l1073::
::l1074::
::l1075::
::l1076::
::l1077::
::l1078::
::l1079::
::l1080::
::l1081::
::l1082::
::l1083::
::l1084::
::l1085::
::l1086::
::l1087::
::l1088::
::l1089::
::l1090::
::l1091::
::l1092::
::l1093::
::l1094::
::l1095::
::l1096::
::l1097::
::l1098::
::l1099::
::l1100::
::l1101::
::l1102::
::l1103::
::l1104::
::l1105::
::l1106::
::l1107::
::l1108::
::l1109::
::l1110::
::l1111::
::l1112::
::l1113::
::l1114::
::l1115::
::l1116::
::l1117::
::l1118::
::l1119::
::l1120::
::l1121::
::l1122::
::l1123::
::l1124::
::l1125::
::l1126::
::l1127::
::l1128::
::l1129::
::l1130::
::l1131::
::l1132::
::l1133::
::l1134::
::l1135::
::l1136::
::l1137::
::l1138::
::l1139::
::l1140::
::l1141::
::l1142::
::l1143::
::l1144::
::l1145::
::l1146::
::l1147::
::l1148::
::l1149::
::l1150::
::l1151::
::l1152::
::l1153::
::l1154::
::l1155::
::l1156::
::l1157::
::l1158::
::l1159::
::l1160::
::l1161::
::l1162::
::l1163::
::l1164::
::l1165::
::l1166::
::l1167::
::l1168::
::l1169::
::l1170::
::l1171::
::l1172::
::l1173::
::l1174::
::l1175::
::l1176::
::l1177::
::l1178::
::l1179::
::l1180::
::l1181::
::l1182::
::l1183::
::l1184::
::l1185::
::l1186::
::l1187::
::l1188::
::l1189::
::l1190::
::l1191::
::l1192::
::l1193::
::l1194::
::l1195::
::l1196::
::l1197::
::l1198::
::l1199::
::l1200::
::l1201::
::l1202::
::l1203::
::l1204::
::l1205::
::l1206::
::l1207::
::l1208::
::l1209::
::l1210::
::l1211::
::l1212::
::l1213::
::l1214::
::l1215::
::l1216::
::l1217::
::l1218::
::l1219::
::l1220::
::l1221::
::l1222::
::l1223::
::l1224::
::l1225::
::l1226::
::l1227::
::l1228::
::l1229::
::l1230::
::l1231::
::l1232::
::l1233::
::l1234::
::l1235::
::l1236::
::l1237::
::l1238::
::l1239::
::l1240::
::l1241::
::l1242::
::l1243::
::l1244::
::l1245::
::l1246::
::l1247::
::l1248::
::l1249::
::l1250::
::l1251::
::l1252::
::l1253::
::l1254::
::l1255::
::l1256::
::l1257::
::l1258::
::l1259::
::l1260::
::l1261::
::l1262::
::l1263::
::l1264::
::l1265::
::l1266::
::l1267::
::l1268::
::l1269::
::l1270::
::l1271::
::l1272::
::l1273::
::l1274::
::l1275::
::l1276::
::l1277::
::l1278::
::l1279::
::l1280::
::l1281::
::l1282::
::l1283::
::l1284::
::l1285::
::l1286::
::l1287::
::l1288::
::l1289::
::l1290::
::l1291::
::l1292::
::l1293::
::l1294::
::l1295::
::l1296::
::l1297::
::l1298::
::l1299::
::l1300::
::l1301::
::l1302::
::l1303::
::l1304::
::l1305::
::l1306::
::l1307::
::l1308::
::l1309::
::l1310::
::l1311::
::l1312::
::l1313::
::l1314::
::l1315::
::l1316::
::l1317::
::l1318::
::l1319::
::l1320::
::l1321::
::l1322::
::l1323::
::l1324::
::l1325::
::l1326::
::l1327::
::l1328::
::l1329::
::l1330::
::l1331::
::l1332::
::l1333::
::l1334::
::l1335::
::l1336::
::l1337::
::l1338::
::l1339::
::l1340::
::l1341::
::l1342::
::l1343::
::l1344::
::l1345::
::l1346::
::l1347::
::l1348::
::l1349::
::l1350::
::l1351::
::l1352::
::l1353::
::l1354::
::l1355::
::l1356::
::l1357::
::l1358::
::l1359::
::l1360::
::l1361::
::l1362::
::l1363::
::l1364::
::l1365::
::l1366::
::l1367::
::l1368::
::l1369::
::l1370::
::l1371::
::l1372::
::l1373::
::l1374::
::l1375::
::l1376::
::l1377::
::l1378::
::l1379::
::l1380::
::l1381::
::l1382::
::l1383::
::l1384::
::l1385::
::l1386::
::l1387::
::l1388::
::l1389::
::l1390::
::l1391::
::l1392::
::l1393::
::l1394::
::l1395::
::l1396::
::l1397::
::l1398::
::l1399::
::l1400::
::l1401::
::l1402::
::l1403::
::l1404::
::l1405::
::l1406::
::l1407::
::l1408::
::l1409::
::l1410::
::l1411::
::l1412::
::l1413::
::l1414::
::l1415::
::l1416::
::l1417::
::l1418::
::l1419::
::l1420::
::l1421::
::l1422::
::l1423::
::l1424::
::l1425::
::l1426::
::l1427::
::l1428::
::l1429::
::l1430::
::l1431::
::l1432::
::l1433::
::l1434::
::l1435::
::l1436::
::l1437::
::l1438::
::l1439::
::l1440::
::l1441::
::l1442::
::l1443::
::l1444::
::l1445::
::l1446::
::l1447::
::l1448::
::l1449::
::l1450::
::l1451::
::l1452::
::l1453::
::l1454::
::l1455::
::l1456::
::l1457::
::l1458::
::l1459::
::l1460::
::l1461::
::l1462::
::l1463::
::l1464::
::l1465::
::l1466::
::l1467::
::l1468::
::l1469::
::l1470::
::l1471::
::l1472::
::l1473::
::l1474::
::l1475::
::l1476::
::l1477::
::l1478::
::l1479::
::l1480::
::l1481::
::l1482::
::l1483::
::l1484::
::l1485::
::l1486::
::l1487::
::l1488::
::l1489::
::l1490::
::l1491::
::l1492::
::l1493::
::l1494::
::l1495::
::l1496::
::l1497::
::l1498::
::l1499::
::l1500::
::l1501::
::l1502::
::l1503::
::l1504::
::l1505::
::l1506::
::l1507::
::l1508::
::l1509::
::l1510::
::l1511::
::l1512::
::l1513::
::l1514::
::l1515::
::l1516::
::l1517::
::l1518::
::l1519::
::l1520::
::l1521::
::l1522::
::l1523::
::l1524::
::l1525::
::l1526::
::l1527::
::l1528::
::l1529::
::l1530::
::l1531::
::l1532::
::l1533::
::l1534::
::l1535::
::l1536::
::l1537::
::l1538::
::l1539::
::l1540::
::l1541::
::l1542::
::l1543::
::l1544::
::l1545::
::l1546::
::l1547::
::l1548::
::l1549::
::l1550::
::l1551::
::l1552::
::l1553::
::l1554::
::l1555::
::l1556::
::l1557::
::l1558::
::l1559::
::l1560::
::l1561::
::l1562::
::l1563::
::l1564::
::l1565::
::l1566::
::l1567::
::l1568::
::l1569::
::l1570::
::l1571::
::l1572::
::l1573::
::l1574::
::l1575::
::l1576::
::l1577::
::l1578::
::l1579::
::l1580::
::l1581::
::l1582::
::l1583::
::l1584::
::l1585::
::l1586::
::l1587::
::l1588::
::l1589::
::l1590::
::l1591::
::l1592::
::l1593::
::l1594::
::l1595::
::l1596::
::l1597::
::l1598::
::l1599::
::l1600::
::l1601::
::l1602::
::l1603::
::l1604::
::l1605::
::l1606::
::l1607::
::l1608::
::l1609::
::l1610::
::l1611::
::l1612::
::l1613::
::l1614::
::l1615::
::l1616::
::l1617::
::l1618::
::l1619::
::l1620::
::l1621::
::l1622::
::l1623::
::l1624::
::l1625::
::l1626::
::l1627::
::l1628::
::l1629::
::l1630::
::l1631::
::l1632::
::l1633::
::l1634::
::l1635::
::l1636::
::l1637::
::l1638::
::l1639::
::l1640::
::l1641::
::l1642::
::l1643::
::l1644::
::l1645::
::l1646::
::l1647::
::l1648::
::l1649::
::l1650::
::l1651::
::l1652::
::l1653::
::l1654::
::l1655::
::l1656::
::l1657::
::l1658::
::l1659::
::l1660::
::l1661::
::l1662::
::l1663::
::l1664::
::l1665::
::l1666::
::l1667::
::l1668::
::l1669::
::l1670::
::l1671::
::l1672::
::l1673::
::l1674::
::l1675::
::l1676::
::l1677::
::l1678::
::l1679::
::l1680::
::l1681::
::l1682::
::l1683::
::l1684::
::l1685::
::l1686::
::l1687::
::l1688::
::l1689::
::l1690::
::l1691::
::l1692::
::l1693::
::l1694::
::l1695::
::l1696::
::l1697::
::l1698::
::l1699::
::l1700::
::l1701::
::l1702::
::l1703::
::l1704::
::l1705::
::l1706::
::l1707::
::l1708::
::l1709::
::l1710::
::l1711::
::l1712::
::l1713::
::l1714::
::l1715::
::l1716::
::l1717::
::l1718::
::l1719::
::l1720::
::l1721::
::l1722::
::l1723::
::l1724::
::l1725::
::l1726::
::l1727::
::l1728::
::l1729::
::l1730::
::l1731::
::l1732::
::l1733::
::l1734::
::l1735::
::l1736::
::l1737::
::l1738::
::l1739::
::l1740::
::l1741::
::l1742::
::l1743::
::l1744::
::l1745::
::l1746::
::l1747::
::l1748::
::l1749::
::l1750::
::l1751::
::l1752::
::l1753::
::l1754::
::l1755::
::l1756::
::l1757::
::l1758::
::l1759::
::l1760::
::l1761::
::l1762::
::l1763::
::l1764::
::l1765::
::l1766::
::l1767::
::l1768::
::l1769::
::l1770::
::l1771::
::l1772::
::l1773::
::l1774::
::l1775::
::l1776::
::l1777::
::l1778::
::l1779::
::l1780::
::l1781::
::l1782::
::l1783::
::l1784::
::l1785::
::l1786::
::l1787::
::l1788::
::l1789::
::l1790::
::l1791::
::l1792::
::l1793::
::l1794::
::l1795::
::l1796::
::l1797::
::l1798::
::l1799::
::l1800::
::l1801::
::l1802::
::l1803::
::l1804::
::l1805::
::l1806::
::l1807::
::l1808::
::l1809::
::l1810::
::l1811::
::l1812::
::l1813::
::l1814::
::l1815::
::l1816::
::l1817::
::l1818::
::l1819::
::l1820::
::l1821::
::l1822::
::l1823::
::l1824::
::l1825::
::l1826::
::l1827::
::l1828::
::l1829::
::l1830::
::l1831::
::l1832::
::l1833::
::l1834::
::l1835::
::l1836::
::l1837::
::l1838::
::l1839::
::l1840::
::l1841::
::l1842::
::l1843::
::l1844::
::l1845::
::l1846::
::l1847::
::l1848::
::l1849::
::l1850::
::l1851::
::l1852::
::l1853::
::l1854::
::l1855::
::l1856::
::l1857::
::l1858::
::l1859::
::l1860::
::l1861::
::l1862::
::l1863::
::l1864::
::l1865::
::l1866::
::l1867::
::l1868::
::l1869::
::l1870::
::l1871::
::l1872::
::l1873::
::l1874::
::l1875::
::l1876::
::l1877::
::l1878::
::l1879::
::l1880::
::l1881::
::l1882::
::l1883::
::l1884::
::l1885::
::l1886::
::l1887::
::l1888::
::l1889::
::l1890::
::l1891::
::l1892::
::l1893::
::l1894::
::l1895::
::l1896::
::l1897::
::l1898::
::l1899::
::l1900::
::l1901::
::l1902::
::l1903::
::l1904::
::l1905::
::l1906::
::l1907::
::l1908::
::l1909::
::l1910::
::l1911::
::l1912::
::l1913::
::l1914::
::l1915::
::l1916::
::l1917::
::l1918::
::l1919::
::l1920::
::l1921::
::l1922::
::l1923::
::l1924::
::l1925::
::l1926::
::l1927::
::l1928::
::l1929::
::l1930::
::l1931::
::l1932::
::l1933::
::l1934::
::l1935::
::l1936::
::l1937::
::l1938::
::l1939::
::l1940::
::l1941::
::l1942::
::l1943::
::l1944::
::l1945::
::l1946::
::l1947::
::l1948::
::l1949::
::l1950::
::l1951::
::l1952::
::l1953::
::l1954::
::l1955::
::l1956::
::l1957::
::l1958::
::l1959::
::l1960::
::l1961::
::l1962::
::l1963::
::l1964::
::l1965::
::l1966::
::l1967::
::l1968::
::l1969::
::l1970::
::l1971::
::l1972::
::l1973::
::l1974::
::l1975::
::l1976::
::l1977::
::l1978::
::l1979::
::l1980::
::l1981::
::l1982::
::l1983::
::l1984::
::l1985::
::l1986::
::l1987::
::l1988::
::l1989::
::l1990::
::l1991::
::l1992::
::l1993::
::l1994::
::l1995::
::l1996::
::l1997::
::l1998::
::l1999::
::l2000::
::l2001::
::l2002::
::l2003::
::l2004::
::l2005::
::l2006::
::l2007::
::l2008::
::l2009::
::l2010::
::l2011::
::l2012::
::l2013::
::l2014::
::l2015::
::l2016::
::l2017::
::l2018::
::l2019::
::l2020::
::l2021::
::l2022::
::l2023::
::l2024::
::l2025::
::l2026::
::l2027::
::l2028::
::l2029::
::l2030::
::l2031::
::l2032::
::l2033::
::l2034::
::l2035::
::l2036::
::l2037::
::l2038::
::l2039::
::l2040::
::l2041::
::l2042::
::l2043::
::l2044::
::l2045::
::l2046::
::l2047::
::l2048::
::l2049::
::l2050::
::l2051::
::l2052::
::l2053::
::l2054::
::l2055::
::l2056::
::l2057::
::l2058::
::l2059::
::l2060::
::l2061::
::l2062::
::l2063::
::l2064::
::l2065::
::l2066::
::l2067::
::l2068::
::l2069::
::l2070::
::l2071::
::l2072::
::l2073::
::l2074::
::l2075::
::l2076::
::l2077::
::l2078::
::l2079::
::l2080::
::l2081::
::l2082::
::l2083::
::l2084::
::l2085::
::l2086::
::l2087::
::l2088::
::l2089::
::l2090::
::l2091::
::l2092::
::l2093::
::l2094::
::l2095::
::l2096::
::l2097::
::l2098::
::l2099::
::l2100::
::l2101::
::l2102::
::l2103::
::l2104::
::l2105::
::l2106::
::l2107::
::l2108::
::l2109::
::l2110::
::l2111::
::l2112::
::l2113::
::l2114::
::l2115::
::l2116::
::l2117::
::l2118::
::l2119::
::l2120::
::l2121::
::l2122::
::l2123::
::l2124::
::l2125::
::l2126::
::l2127::
::l2128::
::l2129::
::l2130::
::l2131::
::l2132::
::l2133::
::l2134::
::l2135::
::l2136::
::l2137::
::l2138::
::l2139::
::l2140::
::l2141::
::l2142::
::l2143::
::l2144::
::l2145::
::l2146::
::l2147::
::l2148::
::l2149::
::l2150::
::l2151::
::l2152::
::l2153::
::l2154::
::l2155::
::l2156::
::l2157::
::l2158::
::l2159::
::l2160::
::l2161::
::l2162::
::l2163::
::l2164::
::l2165::
::l2166::
::l2167::
::l2168::
::l2169::
::l2170::
::l2171::
::l2172::
::l2173::
::l2174::
::l2175::
::l2176::
::l2177::
::l2178::
::l2179::
::l2180::
::l2181::
::l2182::
::l2183::
::l2184::
::l2185::
::l2186::
::l2187::
::l2188::
::l2189::
::l2190::
::l2191::
::l2192::
::l2193::
::l2194::
::l2195::
::l2196::
::l2197::
::l2198::
::l2199::
::l2200::
::l2201::
::l2202::
::l2203::
::l2204::
::l2205::
::l2206::
::l2207::
::l2208::
::l2209::
::l2210::
::l2211::
::l2212::
::l2213::
::l2214::
::l2215::
::l2216::
::l2217::
::l2218::
::l2219::
::l2220::
::l2221::
::l2222::
::l2223::
::l2224::
::l2225::
::l2226::
::l2227::
::l2228::
::l2229::
::l2230::
::l2231::
::l2232::
::l2233::
::l2234::
::l2235::
::l2236::
::l2237::
::l2238::
::l2239::
::l2240::
::l2241::
::l2242::
::l2243::
::l2244::
::l2245::
::l2246::
::l2247::
::l2248::
::l2249::
::l2250::
::l2251::
::l2252::
::l2253::
::l2254::
::l2255::
::l2256::
::l2257::
::l2258::
::l2259::
::l2260::
::l2261::
::l2262::
::l2263::
::l2264::
::l2265::
::l2266::
::l2267::
::l2268::
::l2269::
::l2270::
::l2271::
::l2272::
::l2273::
::l2274::
::l2275::
::l2276::
::l2277::
::l2278::
::l2279::
::l2280::
::l2281::
::l2282::
::l2283::
::l2284::
::l2285::
::l2286::
::l2287::
::l2288::
::l2289::
::l2290::
::l2291::
::l2292::
::l2293::
::l2294::
::l2295::
::l2296::
::l2297::
::l2298::
::l2299::
::l2300::
::l2301::
::l2302::
::l2303::
::l2304::
::l2305::
::l2306::
::l2307::
::l2308::
::l2309::
::l2310::
::l2311::
::l2312::
::l2313::
::l2314::
::l2315::
::l2316::
::l2317::
::l2318::
::l2319::
::l2320::
::l2321::
::l2322::
::l2323::
::l2324::
::l2325::
::l2326::
::l2327::
::l2328::
::l2329::
::l2330::
::l2331::
::l2332::
::l2333::
::l2334::
::l2335::
::l2336::
::l2337::
::l2338::
::l2339::
::l2340::
::l2341::
::l2342::
::l2343::
::l2344::
::l2345::
::l2346::
::l2347::
::l2348::
::l2349::
::l2350::
::l2351::
::l2352::
::l2353::
::l2354::
::l2355::
::l2356::
::l2357::
::l2358::
::l2359::
::l2360::
::l2361::
::l2362::
::l2363::
::l2364::
::l2365::
::l2366::
::l2367::
::l2368::
::l2369::
::l2370::
::l2371::
::l2372::
::l2373::
::l2374::
::l2375::
::l2376::
::l2377::
::l2378::
::l2379::
::l2380::
::l2381::
::l2382::
::l2383::
::l2384::
::l2385::
::l2386::
::l2387::
::l2388::
::l2389::
::l2390::
::l2391::
::l2392::
::l2393::
::l2394::
::l2395::
::l2396::
::l2397::
::l2398::
::l2399::
::l2400::
::l2401::
::l2402::
::l2403::
::l2404::
::l2405::
::l2406::
::l2407::
::l2408::
::l2409::
::l2410::
::l2411::
::l2412::
::l2413::
::l2414::
::l2415::
::l2416::
::l2417::
::l2418::
::l2419::
::l2420::
::l2421::
::l2422::
::l2423::
::l2424::
::l2425::
::l2426::
::l2427::
::l2428::
::l2429::
::l2430::
::l2431::
::l2432::
::l2433::
::l2434::
::l2435::
::l2436::
::l2437::
::l2438::
::l2439::
::l2440::
::l2441::
::l2442::
::l2443::
::l2444::
::l2445::
::l2446::
::l2447::
::l2448::
::l2449::
::l2450::
::l2451::
::l2452::
::l2453::
::l2454::
::l2455::
::l2456::
::l2457::
::l2458::
::l2459::
::l2460::
::l2461::
::l2462::
::l2463::
::l2464::
::l2465::
::l2466::
::l2467::
::l2468::
::l2469::
::l2470::
::l2471::
::l2472::
::l2473::
::l2474::
::l2475::
::l2476::
::l2477::
::l2478::
::l2479::
::l2480::
::l2481::
::l2482::
::l2483::
::l2484::
::l2485::
::l2486::
::l2487::
::l2488::
::l2489::
::l2490::
::l2491::
::l2492::
::l2493::
::l2494::
::l2495::
::l2496::
::l2497::
::l2498::
::l2499::
::l2500::
::l2501::
::l2502::
::l2503::
::l2504::
::l2505::
::l2506::
::l2507::
::l2508::
::l2509::
::l2510::
::l2511::
::l2512::
::l2513::
::l2514::
::l2515::
::l2516::
::l2517::
::l2518::
::l2519::
::l2520::
::l2521::
::l2522::
::l2523::
::l2524::
::l2525::
::l2526::
::l2527::
::l2528::
::l2529::
::l2530::
::l2531::
::l2532::
::l2533::
::l2534::
::l2535::
::l2536::
::l2537::
::l2538::
::l2539::
::l2540::
::l2541::
::l2542::
::l2543::
::l2544::
::l2545::
::l2546::
::l2547::
::l2548::
::l2549::
::l2550::
::l2551::
::l2552::
::l2553::
::l2554::
::l2555::
::l2556::
::l2557::
::l2558::
::l2559::
::l2560::
::l2561::
::l2562::
::l2563::
::l2564::
::l2565::
::l2566::
::l2567::
::l2568::
::l2569::
::l2570::
::l2571::
::l2572::
::l2573::
::l2574::
::l2575::
::l2576::
::l2577::
::l2578::
::l2579::
::l2580::
::l2581::
::l2582::
::l2583::
::l2584::
::l2585::
::l2586::
::l2587::
::l2588::
::l2589::
::l2590::
::l2591::
::l2592::
::l2593::
::l2594::
::l2595::
::l2596::
::l2597::
::l2598::
::l2599::
::l2600::
::l2601::
::l2602::
::l2603::
::l2604::
::l2605::
::l2606::
::l2607::
::l2608::
::l2609::
::l2610::
::l2611::
::l2612::
::l2613::
::l2614::
::l2615::
::l2616::
::l2617::
::l2618::
::l2619::
::l2620::
::l2621::
::l2622::
::l2623::
::l2624::
::l2625::
::l2626::
::l2627::
::l2628::
::l2629::
::l2630::
::l2631::
::l2632::
::l2633::
::l2634::
::l2635::
::l2636::
::l2637::
::l2638::
::l2639::
::l2640::
::l2641::
::l2642::
::l2643::
::l2644::
::l2645::
::l2646::
::l2647::
::l2648::
::l2649::
::l2650::
::l2651::
::l2652::
::l2653::
::l2654::
::l2655::
::l2656::
::l2657::
::l2658::
::l2659::
::l2660::
::l2661::
::l2662::
::l2663::
::l2664::
::l2665::
::l2666::
::l2667::
::l2668::
::l2669::
::l2670::
::l2671::
::l2672::
::l2673::
::l2674::
::l2675::
::l2676::
::l2677::
::l2678::
::l2679::
::l2680::
::l2681::
::l2682::
::l2683::
::l2684::
::l2685::
::l2686::
::l2687::
::l2688::
::l2689::
::l2690::
::l2691::
::l2692::
::l2693::
::l2694::
::l2695::
::l2696::
::l2697::
::l2698::
::l2699::
::l2700::
::l2701::
::l2702::
::l2703::
::l2704::
::l2705::
::l2706::
::l2707::
::l2708::
::l2709::
::l2710::
::l2711::
::l2712::
::l2713::
::l2714::
::l2715::
::l2716::
::l2717::
::l2718::
::l2719::
::l2720::
::l2721::
::l2722::
::l2723::
::l2724::
::l2725::
::l2726::
::l2727::
::l2728::
::l2729::
::l2730::
::l2731::
::l2732::
::l2733::
::l2734::
::l2735::
::l2736::
::l2737::
::l2738::
::l2739::
::l2740::
::l2741::
::l2742::
::l2743::
::l2744::
::l2745::
::l2746::
::l2747::
::l2748::
::l2749::
::l2750::
::l2751::
::l2752::
::l2753::
::l2754::
::l2755::
::l2756::
::l2757::
::l2758::
::l2759::
::l2760::
::l2761::
::l2762::
::l2763::
::l2764::
::l2765::
::l2766::
::l2767::
::l2768::
::l2769::
::l2770::
::l2771::
::l2772::
::l2773::
::l2774::
::l2775::
::l2776::
::l2777::
::l2778::
::l2779::
::l2780::
::l2781::
::l2782::
::l2783::
::l2784::
::l2785::
::l2786::
::l2787::
::l2788::
::l2789::
::l2790::
::l2791::
::l2792::
::l2793::
::l2794::
::l2795::
::l2796::
::l2797::
::l2798::
::l2799::
::l2800::
::l2801::
::l2802::
::l2803::
::l2804::
::l2805::
::l2806::
::l2807::
::l2808::
::l2809::
::l2810::
::l2811::
::l2812::
::l2813::
::l2814::
::l2815::
::l2816::
::l2817::
::l2818::
::l2819::
::l2820::
::l2821::
::l2822::
::l2823::
::l2824::
::l2825::
::l2826::
::l2827::
::l2828::
::l2829::
::l2830::
::l2831::
::l2832::
::l2833::
::l2834::
::l2835::
::l2836::
::l2837::
::l2838::
::l2839::
::l2840::
::l2841::
::l2842::
::l2843::
::l2844::
::l2845::
::l2846::
::l2847::
::l2848::
::l2849::
::l2850::
::l2851::
::l2852::
::l2853::
::l2854::
::l2855::
::l2856::
::l2857::
::l2858::
::l2859::
::l2860::
::l2861::
::l2862::
::l2863::
::l2864::
::l2865::
::l2866::
::l2867::
::l2868::
::l2869::
::l2870::
::l2871::
::l2872::
::l2873::
::l2874::
::l2875::
::l2876::
::l2877::
::l2878::
::l2879::
::l2880::
::l2881::
::l2882::
::l2883::
::l2884::
::l2885::
::l2886::
::l2887::
::l2888::
::l2889::
::l2890::
::l2891::
::l2892::
::l2893::
::l2894::
::l2895::
::l2896::
::l2897::
::l2898::
::l2899::
::l2900::
::l2901::
::l2902::
::l2903::
::l2904::
::l2905::
::l2906::
::l2907::
::l2908::
::l2909::
::l2910::
::l2911::
::l2912::
::l2913::
::l2914::
::l2915::
::l2916::
::l2917::
::l2918::
::l2919::
::l2920::
::l2921::
::l2922::
::l2923::
::l2924::
::l2925::
::l2926::
::l2927::
::l2928::
::l2929::
::l2930::
::l2931::
::l2932::
::l2933::
::l2934::
::l2935::
::l2936::
::l2937::
::l2938::
::l2939::
::l2940::
::l2941::
::l2942::
::l2943::
::l2944::
::l2945::
::l2946::
::l2947::
::l2948::
::l2949::
::l2950::
::l2951::
::l2952::
::l2953::
::l2954::
::l2955::
::l2956::
::l2957::
::l2958::
::l2959::
::l2960::
::l2961::
::l2962::
::l2963::
::l2964::
::l2965::
::l2966::
::l2967::
::l2968::
::l2969::
::l2970::
::l2971::
::l2972::
::l2973::
::l2974::
::l2975::
::l2976::
::l2977::
::l2978::
::l2979::
::l2980::
::l2981::
::l2982::
::l2983::
::l2984::
::l2985::
::l2986::
::l2987::
::l2988::
::l2989::
::l2990::
::l2991::
::l2992::
::l2993::
::l2994::
::l2995::
::l2996::
::l2997::
::l2998::
::l2999::
