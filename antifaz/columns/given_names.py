"""Given names and surnames that are common in seven languages, without accents and in lower case.

They distinguish a column of people from one of places or things: many names of people contain one of these words.
"""

GIVEN = frozenset(
    # English
    "james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony"
    " mark donald steven paul andrew joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan"
    " jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander"
    " patrick frank raymond jack dennis jerry tyler aaron henry douglas peter adam nathan zachary walter harold"
    " kyle carl arthur roger keith jeremy lawrence terry sean albert joe ethan austin jesse willie billy bruce"
    " ralph harry oliver liam noah mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa"
    " nancy betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie"
    " rebecca sharon laura cynthia dorothy amy kathleen angela shirley brenda emma anna pamela nicole samantha"
    " katherine christine helen debra rachel carolyn janet maria catherine heather diane olivia julie joyce"
    " victoria ruth virginia lauren kelly christina joan evelyn judith andrea hannah megan cheryl jacqueline"
    " martha madison teresa gloria sara janice ann kathryn abigail sophia frances jean alice judy isabella julia"
    " grace amber denise danielle marilyn charlotte amelia mia ava"
    # Spanish and Catalan
    " antonio manuel jose francisco juan javier carlos jesus alejandro miguel rafael angel pedro pablo sergio"
    " fernando luis jorge alberto alvaro adrian diego raul ivan ruben enrique ramon vicente andres joaquin"
    " santiago eduardo victor mario roberto jaime marcos ignacio alfonso salvador ricardo emilio julian julio"
    " guillermo gabriel tomas agustin felix gonzalo hugo martin nicolas lucas carmen ana isabel dolores pilar"
    " josefa rosa cristina francisca antonia lucia marta mercedes elena concepcion luisa paula pilar raquel"
    " rocio silvia beatriz patricia montserrat encarnacion irene nuria sonia susana yolanda monica alba"
    " margarita inmaculada marina esther natalia claudia veronica carolina ines eva alicia lorena miriam sofia"
    " valeria daniela jordi josep joan marc pere pau oriol arnau albert xavier francesc enric ramon miquel sergi"
    " roger gerard laia anna merce nuria neus carme mireia aina berta ariadna gemma judit meritxell ferran oscar"
    " biel jaume lluis gloria joana"
    # French
    " jean michel pierre philippe alain nicolas christophe patrick frederic laurent stephane olivier julien"
    " sebastien pascal thierry eric david gerard bernard bruno jacques francois guillaume antoine vincent maxime"
    " alexandre thomas romain louis claude daniel andre serge marie nathalie isabelle sylvie catherine francoise"
    " valerie christine monique sandrine veronique nicole stephanie sophie anne celine chantal aurelie brigitte"
    " helene julie martine camille emilie claire lea manon chloe ines jade zoe lucie mathilde margaux gabriel"
    " raphael arthur jules"
    # German
    " hans peter wolfgang klaus jurgen michael thomas andreas stefan christian uwe werner horst frank dieter"
    " manfred gerhard bernd helmut gunter heinz ralf martin jens sven jorg matthias markus tobias florian"
    " sebastian jan alexander daniel felix lukas jonas leon finn paul ursula monika petra elisabeth sabine"
    " renate helga karin brigitte ingrid erika andrea gisela claudia susanne gabriele christa birgit heike"
    " sabrina katharina stefanie nicole julia anna lena lea hannah mia marie johanna friedrich karl heinrich"
    " otto greta frieda"
    # Portuguese
    " joao jose antonio francisco carlos paulo pedro lucas luiz marcos luis gabriel rafael daniel marcelo bruno"
    " eduardo felipe rodrigo manoel mateus andre fernando fabio leonardo gustavo guilherme leandro tiago"
    " anderson ricardo marcio jorge sebastiao alexandre roberto edson diego vitor sergio claudio maria ana"
    " francisca antonia adriana juliana marcia fernanda patricia aline sandra camila amanda bruna jessica"
    " leticia julia luciana vanessa mariana gabriela vera vitoria larissa claudia beatriz rita sonia renata"
    " eliane joana catarina ines matilde leonor duarte rui nuno goncalo afonso tomas martim"
    # Italian
    " giuseppe giovanni antonio mario luigi francesco angelo vincenzo pietro salvatore carlo franco domenico"
    " bruno paolo michele giorgio aldo sergio luciano marco andrea alessandro matteo lorenzo davide simone"
    " riccardo stefano roberto fabio gianluca massimo claudio enrico filippo leonardo tommaso maria anna"
    " giuseppina rosa angela giovanna teresa lucia carmela caterina francesca antonietta carla elena concetta"
    " rita margherita franca paola laura giulia chiara sara martina silvia valentina federica alessandra elisa"
    " simona barbara daniela monica cristina roberta patrizia giorgia aurora ginevra beatrice alice".split()
)
SURNAMES = frozenset(
    "garcia rodriguez gonzalez fernandez lopez martinez sanchez perez gomez martin jimenez ruiz hernandez diaz"
    " moreno munoz alvarez romero alonso gutierrez navarro torres dominguez vazquez ramos gil ramirez serrano"
    " blanco molina morales suarez ortega delgado castro ortiz rubio marin sanz nunez iglesias medina garrido"
    " cortes castillo santos lozano guerrero cano prieto mendez cruz calvo gallego vidal leon herrera marquez"
    " pena cabrera flores campos vega fuentes carrasco diez reyes caballero nieto aguilar pascual santana"
    " herrero lorenzo montero hidalgo gimenez ibanez ferrer duran vicente benitez mora santiago arias vargas"
    " carmona crespo roman pastor soto saez velasco soler moya esteban parra bravo gallardo rojas puig roca vila"
    " serra pons font bosch sala ribas costa batlle casals smith johnson williams brown jones miller davis"
    " wilson anderson taylor thomas moore jackson white harris clark lewis robinson walker young allen king"
    " wright scott hill green adams nelson baker hall campbell mitchell carter roberts evans edwards hughes"
    " thompson wood turner cooper ward morris watson harrison muller schmidt schneider fischer weber meyer"
    " wagner becker schulz hoffmann schafer koch bauer richter klein wolf schroder neumann schwarz zimmermann"
    " braun kruger hofmann hartmann lange schmitt werner krause meier lehmann schmid martin bernard dubois"
    " thomas robert richard petit durand leroy moreau simon laurent lefebvre michel garcia david bertrand roux"
    " vincent fournier morel girard andre lefevre mercier dupont lambert bonnet francois rousseau silva santos"
    " oliveira souza sousa rodrigues ferreira alves pereira lima gomes costa ribeiro martins carvalho almeida"
    " lopes soares fernandes vieira barbosa rocha dias nascimento andrade moreira nunes marques machado mendes"
    " freitas cardoso ramos goncalves santana teixeira rossi russo ferrari esposito bianchi romano colombo ricci"
    " marino greco bruno gallo conti mancini giordano rizzo lombardi moretti barbieri fontana santoro mariani"
    " rinaldi caruso ferrara galli martini leone longo gentile martinelli vitale lombardo serra coppola"
    " marchetti parisi villa conte ferraro".split()
)
